#include "dreamgym/worlds/webshop/internal/page_html.h"

#include <fmt/format.h>

#include "dreamgym/worlds/webshop/internal/html_text.h"
#include "dreamgym/worlds/webshop/internal/page_nodes.h"
#include "dreamgym/worlds/webshop/internal/page_templates.h"

namespace dreamgym::webshop {
namespace {

class HtmlWriter {
 public:
  HtmlWriter(const Shop& shop, const SessionState& state) : shop_(shop), state_(state) {
    for (const std::string& keyword : state.keywords) {
      keywords_ += "&keywords=" + quote_query(keyword);
    }
    if (state.page_kind != PageKind::kSearch && state.page_kind != PageKind::kResults) {
      product_ = shop.catalogue().product(state.product);
    }
  }

  std::string write() {
    switch (state_.page_kind) {
      case PageKind::kSearch:
        search();
        break;
      case PageKind::kResults:
        results();
        break;
      case PageKind::kItem:
        item();
        break;
      case PageKind::kSubPage:
        sub_page();
        break;
      case PageKind::kDone:
        done();
        break;
    }
    return std::move(out_);
  }

 private:
  void add(std::string_view text) { out_ += text; }
  [[nodiscard]] const Product& product() const { return product_; }

  [[nodiscard]] std::string home_url() const { return "/?session_id=" + quote_query(state_.id); }
  [[nodiscard]] std::string results_url(std::int64_t page) const {
    return escape_html(fmt::format("{}{}&page={}", home_url(), keywords_, page));
  }
  [[nodiscard]] std::string item_url(const std::string& asin,
                                     const TextDict& options,
                                     std::string_view sub_page = "") const {
    return escape_html(fmt::format("{}&asin={}{}&page={}{}&options={}",
                                   home_url(),
                                   quote_query(asin),
                                   keywords_,
                                   state_.page_number,
                                   sub_page.empty() ? "" : fmt::format("&sub_page={}", sub_page),
                                   quote_query(python_repr(options))));
  }

  void search() {
    add(kPlainHead);
    add(fmt::format(R"(          <div id="logo" class="text-center">
            <h2>WebShop</h2>
          </div>
          <div id="instruction-text" class="text-center">
            <h4>Instruction: <br>{}</h4>
          </div>
          <form role="form" id="form-buscar" method="post" action="{}">
            <div class="form-group">
              <div class="input-group">
                <input id="search_input" class="form-control" type="text" name="search_query" placeholder="Search..." required/>
                <span class="input-group-btn">
                  <button class="btn btn-success" type="submit"><i class="glyphicon glyphicon-search" aria-hidden="true"></i>Search</button>
                </span>
              </div>
            </div>
          </form>
        </div>            
      </div>
    </div>
  </body>
</html>)",
                    escape_html(state_.goal.instruction),
                    escape_html(home_url())));
  }

  void head() {
    add(kShopHead);
    add(escape_html(state_.goal.instruction));
    add(fmt::format(R"(</h4>
          </div>
        </div>
      </div>
      <div class="row top-buffer">
        <form method="post" action="{}">
          <button type="submit" class="btn btn-success">Back to Search</button>
        </form>
      </div>
)",
                    escape_html(home_url())));
  }
  void back_button(const std::string& url) {
    add(fmt::format(R"(      <div class="row top-buffer">
        <form method="post" action="{}">
          <button type="submit" class="btn btn-primary">&lt; Prev</button>
        </form>
      </div>
)",
                    url));
  }
  void page_button(std::int64_t page, std::string_view label) {
    add(fmt::format(R"(            <div class="col-sm-2">
              <form method="post" action="{}">
                <button type="submit" class="btn btn-primary">{}</button>
              </form>
            </div>
)",
                    results_url(page),
                    label));
  }

  void results() {
    head();
    add(fmt::format(R"(      <div class="row top-buffer">
        <div class="col-sm-8">
          <div class="display-4">
            <h3>Page {} (Total results: {})</h3>
          </div>
          
)",
                    state_.page_number,
                    state_.num_results));
    if (state_.page_number > 1) {
      page_button(state_.page_number - 1, "&lt; Prev");
    } else {
      add("            <div class=\"col-sm-2\">\n            </div>\n");
    }
    page_button(state_.page_number + 1, "Next &gt;");
    add(R"(          
        </div>
      </div>

      <div class="row top-buffer">
        )");
    for (const ProductIndex index : state_.on_page) {
      result(shop_.catalogue().product(index));
    }
    add("\n      </div>\n    </div>\n  </body>\n</html>");
  }
  void result(const Product& found) {
    add(fmt::format(R"(
        <div class="col-lg-12 mx-auto list-group-item">
          <div class="col-lg-4">
            <img src="{}" class="result-img">
          </div>
          <div class="col-lg-8">
            <ul class="list-group shadow">
                <div class="media align-items-lg-center flex-column flex-lg-row p-3">
                  <div class="media-body order-2 order-lg-1 searched-product">
                    
                    <h4 class="mt-0 font-weight-bold mb-2 product-asin"><a class="product-link" href="{}">{}</a></h5>
                    <h4 class="mt-0 font-weight-bold mb-2 product-title">{}</h5>
                    <div class="d-flex align-items-center justify-content-between mt-1">
                      <h5 class="font-weight-bold my-2 product-price">{}</h6>
                    </div>
<!--
)",
                    escape_html(found.main_image),
                    item_url(found.asin, {}),
                    escape_html(found.asin),
                    escape_html(found.title),
                    escape_html(found.price_tag)));
    const auto hidden = [&](const char* name, const std::string& text) {
      add(fmt::format(
          R"(                    <div class="d-flex align-items-center justify-content-between mt-1">
                      <h5 class="font-weight-bold my-2 product-{}">{}</h5>
                    </div>
)",
          name,
          escape_html(text)));
    };
    hidden("category", found.category);
    hidden("query", found.query);
    hidden("product_category", found.product_category);
    add(R"(-->
                  </div>
                </div>
            </ul>
          </div>
        </div>
        )");
  }

  void item() {
    head();
    back_button(results_url(state_.page_number));
    add(fmt::format(R"(      <div class="row top-buffer">
        <div class="col-md-4 mb-4 mb-md-0">
          <div class="row top-buffer">
            <img id="product-image" src="{}" class="item-page-img">
          </div>
          )",
                    escape_html(product().main_image)));
    for (const ProductOption& option : product().options) {
      radio_group(option);
    }
    add(fmt::format(R"(
        </div>
        <div class="col-md-6">
          <h2>{}</h2>
          <h4>Price: {}</h4>
          <h4>Rating: N.A.</h4>
          <div class="row top-buffer">
)",
                    escape_html(product().title),
                    escape_html(product().price_tag)));
    sub_page_button("description", "Description");
    sub_page_button("bulletpoints", "Features");
    sub_page_button("reviews", "Reviews");
    add(fmt::format(R"(            
          </div>
        </div>
        <div class="col-sm-2">
          <div class="row top-buffer">
            <form method="post" action="{}">
              <button type="submit" class="btn btn-lg purchase">Buy Now</button>
            </form>
          </div>
        </div>
      </div>
    </div>
  </body>
)",
                    escape_html(fmt::format("{}&asin={}&options={}",
                                            home_url(),
                                            quote_query(product().asin),
                                            quote_query(python_repr(state_.options))))));
    add(kItemScriptTop);
    add(template_json(state_.options));
    add(kItemScriptMiddle);
    add(image_json());
    add(kItemScriptEnd);
  }
  void radio_group(const ProductOption& option) {
    add(fmt::format(R"(
            <div class="row top-buffer">
              <h4>{}</h4>
              <div class="radio-toolbar">
                )",
                    escape_html(option.name)));
    for (std::size_t i = 0; i < option.values.size(); ++i) {
      TextDict chosen = state_.options;
      set_item(chosen, option.name, option.values[i]);
      add(fmt::format(R"(
                  
                  
                  
                  <input type="radio" id="radio_{0}{1}" name="{0}" value="{2}" data-url="{3}">
                  <label for="radio_{0}{1}">{2}</label>
                )",
                      escape_html(option.name),
                      i,
                      escape_html(option.values[i]),
                      item_url(product().asin, chosen)));
    }
    add("\n              </div>\n            </div>\n          ");
  }
  void sub_page_button(const char* name, const char* label) {
    add(fmt::format(R"(            <div class="col-sm-3" name="{}">
              <form method="post" action="{}">
                <button class="btn btn-primary" type="submit">{}</button>
              </form>
            </div>
)",
                    name,
                    item_url(product().asin, state_.options, label),
                    label));
  }
  [[nodiscard]] std::string image_json() const {
    std::string json;
    for (const auto& [value, image] : product().option_images) {
      json += fmt::format("{}{}: {}",
                          json.empty() ? "" : ", ",
                          python_json(std::string_view(value)),
                          image ? python_json(std::string_view(*image)) : "null");
    }
    return template_escape(fmt::format("{{{}}}", json));
  }

  void sub_page() {
    head();
    back_button(item_url(product().asin, state_.options));
    const bool features = state_.sub_page == "Features";
    add(fmt::format(R"(      <div class="row top-buffer">
        <div class="col-md-12">
          <div class="row top-buffer">
            <div class="col-sm-6" name="{}">
              <div class="card card-body">
)",
                    features                       ? "bulletpoints"
                    : state_.sub_page == "Reviews" ? "reviews"
                                                   : "description"));
    if (features) {
      list(product().bullets, "product-info");
    } else if (state_.sub_page == "Attributes") {
      list(product().attributes, "attribute");
    } else if (state_.sub_page == "Reviews") {
      add("                \n");
    } else {
      add(fmt::format("                <p class=\"product-info\">{}</p>\n",
                      escape_html(product().description)));
    }
    add("              </div>\n            </div>\n");
    if (state_.sub_page == "Attributes") {
      categories();
    }
    add("          </div>\n        </div>\n      </div>\n    </div>\n  </body>\n</html>");
  }
  void list(const std::vector<std::string>& texts, const char* css_class) {
    add("                <ul>\n                  ");
    for (const std::string& text : texts) {
      add(fmt::format("\n                  <li><p class=\"{}\"> {}</p></li>\n                  ",
                      css_class,
                      escape_html(text)));
    }
    add("\n                </ul>\n");
  }
  void categories() {
    add("            <div class=\"col-sm-6\" name=\"description\">\n");
    const auto line = [&](const char* name, const std::string& text) {
      add(fmt::format(
          R"(              <div class="d-flex align-items-center justify-content-between mt-1">
                <h5 class="font-weight-bold my-2 product-{}">{}</h5>
              </div>
)",
          name,
          escape_html(text)));
    };
    line("category", product().category);
    line("query", product().query);
    line("product_category", product().product_category);
    add("            </div>\n");
  }

  void done() {
    add(kPlainHead);
    add(fmt::format(R"(          <div id="thankyou" class="text-center">
            <h1>Thank you for shopping with us!</h1>
          </div>
          <div id="stats" class="text-center">
            <h3 align="mturk_code">Your code: </h3>
            <p><pre>None</pre> (Paste it in your MTurk interface.)</p>
            <div style="display:none">
              <h2 align="left">Purchased</h2>
              <hr class="solid">
              <h4 id="asin">asin<pre>{}</pre></p>
              <h4 id="options">options<pre>{}</pre></h4>
)",
                    escape_html(product().asin),
                    template_json(state_.options)));
    add(R"(              <h4 id="purchased_attrs">attrs<pre>None</pre></h4>
              <h4 id="purchased-category">category<pre>None</pre></h4>
              <h4 id="purchased-query">query<pre>None</pre></h4>
              <h4 id="purchased-pc">product category<pre>None</pre></h4>
              <h2 align="left">Target</h2>
              <hr class="solid">
              <h4 id="goal-asin">asin<pre></pre></p>
              <h4 id="goal-options">options<pre></pre></h4>
              <h4 id="goal-attrs">attrs<pre></pre></h4>
              <h4 id="goal-price">price upper<pre></pre></h4>
              <h4 id="goal-instruction-text">instuction text<pre></pre></h4>
              <h4 id="goal-category">category<pre></pre></h4>
              <h4 id="goal-pc">product category<pre></pre></h4>
              <h4 id="goal-query">query<pre></pre></h4>
              <h4>Goal <div id="goal"><pre>None</pre></div></h4>
              <h2 align="left">Reward</h2>
            </div>
            <hr class="solid">
)");
    add(fmt::format(
        "      \t\t\t<h3   id=\"reward\">Your score (min 0.0, max 1.0)<pre>{}</pre></h3>\n",
        python_repr(state_.reward.reward)));
    add(R"(            <h4 hidden>Reward Details <div id="reward_info"><pre>None</pre></div></h4>
          </div>
        </div>            
      </div>
    </div>
  </body>
</html>)");
  }

  const Shop& shop_;
  const SessionState& state_;
  Product product_;       ///< of item, sub and done page
  std::string keywords_;  ///< "&keywords=..." of each, quoted
  std::string out_;
};

}  // namespace

std::string page_html(const Shop& shop, const SessionState& state) {
  return HtmlWriter(shop, state).write();
}

}  // namespace dreamgym::webshop
