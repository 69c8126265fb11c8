# The files of the report's page, built into dreamgym_report as byte arrays: dreamgym/report/page and Chart.js
# (package libjs-chart.js), so that a report needs neither network nor installed files.
find_file(DREAMGYM_CHART_JS chart.min.js
          PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist /usr/share/javascript/chartjs
          DOC "Chart.js 3, minified (Debian: libjs-chart.js)" NO_DEFAULT_PATH)
if(NOT DREAMGYM_CHART_JS)
  message(FATAL_ERROR "chart.min.js not found. Run tools/setup.sh (package libjs-chart.js), or set DREAMGYM_CHART_JS.")
endif()

set(_page ${CMAKE_SOURCE_DIR}/dreamgym/report/page)
set(_scripts ${_page}/dom.js ${_page}/charts.js ${_page}/sections.js ${_page}/tasks.js ${_page}/episodes.js ${_page}/main.js)
set(_generated ${CMAKE_BINARY_DIR}/generated/report_page.cc)
add_custom_command(
  OUTPUT ${_generated}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${_generated} -Dpage_html=${_page}/page.html -Dpage_css=${_page}/page.css
          "-Dpage_js=${_scripts}" -Dchart_js=${DREAMGYM_CHART_JS} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedPage.cmake
  DEPENDS ${_page}/page.html ${_page}/page.css ${_scripts} ${DREAMGYM_CHART_JS} ${CMAKE_SOURCE_DIR}/cmake/EmbedPage.cmake
  COMMENT "Embedding the report's page" VERBATIM)
target_sources(dreamgym_report PRIVATE ${_generated})
