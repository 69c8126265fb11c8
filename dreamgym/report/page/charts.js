// Charts: colours from the style sheet, redrawn when the colour scheme changes.
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const numSeriesColours = 8;
const seriesColour = (i) => css("--s" + (1 + (i % numSeriesColours)));
const charts = [];  // {canvas, make, chart}

// make() returns a Chart.js configuration; it is called again for another colour scheme.
function chart(height, label, make) {
  const canvas = el("canvas", {role: "img", "aria-label": label});
  const entry = {canvas, make, chart: null};
  charts.push(entry);
  return el("div", {class: "chart", style: {height: height + "px"}}, canvas);
}

function drawCharts() {
  Chart.defaults.font.family = css("--sans");
  Chart.defaults.font.size = 12;
  Chart.defaults.color = css("--ink-3");
  Chart.defaults.borderColor = css("--grid");
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  for (const entry of charts) {
    if (!entry.canvas.isConnected || entry.canvas.closest("details:not([open])")) continue;
    if (entry.chart) entry.chart.destroy();
    entry.chart = new Chart(entry.canvas, entry.make());
  }
}

// Whiskers of data points {x, low, high} of horizontal bars.
const whiskers = {
  id: "whiskers",
  afterDatasetsDraw(chart) {
    const {ctx, scales: {x}} = chart;
    chart.data.datasets.forEach((dataset, d) => {
      if (!dataset.intervals) return;
      chart.getDatasetMeta(d).data.forEach((bar, i) => {
        const interval = dataset.intervals[i];
        if (!interval) return;
        const [low, high] = interval.map((v) => x.getPixelForValue(v));
        ctx.save();
        ctx.strokeStyle = css("--ink");
        ctx.lineWidth = 1.5;
        ctx.beginPath();
        ctx.moveTo(low, bar.y); ctx.lineTo(high, bar.y);
        for (const end of [low, high]) { ctx.moveTo(end, bar.y - 5); ctx.lineTo(end, bar.y + 5); }
        ctx.stroke();
        ctx.restore();
      });
    });
  },
};

// The value, written behind each bar (behind its whisker where it has one).
const barValues = {
  id: "barValues",
  afterDatasetsDraw(chart) {
    const {ctx, scales: {x}} = chart;
    chart.data.datasets.forEach((dataset, d) => {
      if (!dataset.labels) return;
      chart.getDatasetMeta(d).data.forEach((bar, i) => {
        const end = dataset.intervals && dataset.intervals[i] ? x.getPixelForValue(dataset.intervals[i][1]) : bar.x;
        ctx.save();
        ctx.fillStyle = css("--ink");
        ctx.font = "600 12px " + css("--sans");
        ctx.textBaseline = "middle";
        ctx.fillText(dataset.labels[i], Math.max(end, bar.x) + 8, bar.y);
        ctx.restore();
      });
    });
  },
};

// rows: [{name, value, low, high, label, colour}]
function barChart(title, rows, {max, format}) {
  return chart(34 + 38 * rows.length, title, () => ({
    type: "bar",
    data: {
      labels: rows.map((r) => (r.name.length > 20 ? r.name.slice(0, 19) + "…" : r.name)),
      datasets: [{
        data: rows.map((r) => r.value),
        backgroundColor: rows.map((r) => css(r.colour) + "a6"),  // whiskers stay readable on it
        intervals: rows.map((r) => (isNumber(r.low) && isNumber(r.high) ? [r.low, r.high] : null)),
        labels: rows.map((r) => r.label),
        borderRadius: 4,
        barThickness: 18,
      }],
    },
    options: {
      indexAxis: "y",
      layout: {padding: {right: 64}},
      scales: {
        x: {min: 0, max, ticks: {callback: format, maxTicksLimit: max ? 6 : 4, maxRotation: 0}, grid: {drawBorder: false}},
        y: {grid: {display: false, drawBorder: false}, ticks: {color: css("--ink"), autoSkip: false}},
      },
      plugins: {legend: {display: false}, tooltip: {callbacks: {label: (item) => rows[item.dataIndex].label}}},
    },
    plugins: [whiskers, barValues],
  }));
}

// stacks: [{label, colour, values}], a value for each step; negative ones hang below the axis.
function stackedChart(title, steps, stacks) {
  return chart(240, title, () => ({
    type: "bar",
    data: {labels: steps, datasets: stacks.map((s) => ({label: s.label, data: s.values, backgroundColor: css(s.colour), maxBarThickness: 36}))},
    options: {
      scales: {
        x: {stacked: true, title: {display: true, text: "iteration"}, grid: {display: false}},
        y: {stacked: true, ticks: {callback: (v) => short(v), maxTicksLimit: 6}},
      },
      plugins: {legend: {display: false}, tooltip: {callbacks: {label: (item) => `${item.dataset.label}: ${short(item.parsed.y)}`}}},
    },
  }));
}

// Exponential average, so that a noisy curve can be read; gaps stay gaps.
function smooth(series) {
  let mean = null;
  return series.map(([step, value]) => {
    if (!isNumber(value)) return {x: step, y: null};
    mean = mean === null ? value : 0.7 * mean + 0.3 * value;
    return {x: step, y: mean};
  });
}

// curves: [{label, points: [[step, value]], colour, dashed}]
function lineChart(title, curves, {height = 280, share = false, compact = false, percent: asPercent = share} = {}) {
  const tick = (v) => (asPercent ? Number((100 * v).toPrecision(3)) + "%" : short(v));
  const flat = curves.every((curve) => curve.points.every(([, y]) => !y));
  return chart(height, title, () => {
    const datasets = [];
    for (const curve of curves) {
      const colour = css(curve.colour);
      const noisy = curve.points.length > 12;
      const line = {
        label: curve.label, borderColor: colour, backgroundColor: colour, borderWidth: 2,
        borderDash: curve.dashed ? [5, 4] : [], pointRadius: noisy ? 0 : 2.5, pointHitRadius: 8, tension: 0,
      };
      if (noisy) {
        datasets.push({...line, data: curve.points.map(([x, y]) => ({x, y})), borderWidth: 1,
          borderColor: colour + "55", backgroundColor: colour + "55", raw: true, borderDash: []});
        datasets.push({...line, data: smooth(curve.points)});
      } else {
        datasets.push({...line, data: curve.points.map(([x, y]) => ({x, y}))});
      }
    }
    return {
      type: "line",
      data: {datasets},
      options: {
        interaction: {mode: "nearest", axis: "x", intersect: false},
        scales: {
          x: {type: "linear", ticks: {maxTicksLimit: compact ? 5 : 9, precision: 0}, grid: {display: !compact},
              title: {display: !compact, text: "step"}},
          y: {min: share || flat ? 0 : undefined, max: share || flat ? 1 : undefined, ticks: {callback: tick, maxTicksLimit: compact ? 4 : 6}},
        },
        plugins: {
          legend: {display: false},
          tooltip: {callbacks: {label: (item) =>
            `${item.dataset.label}${item.dataset.raw ? "" : item.dataset.pointRadius ? "" : " (smoothed)"}: ${asPercent ? percent(item.parsed.y) : short(item.parsed.y)}`}},
        },
      },
    };
  });
}

function legend(curves) {
  return el("ul", {class: "legend"}, curves.map((curve) => el("li", {},
    el("span", {class: "swatch" + (curve.dashed ? " dashed" : ""), style: {borderColor: `var(${curve.colour})`}}), curve.label)));
}
