// The fixed pieces of the original's pages, blanks and all: a data table.
#pragma once

#include <string_view>

namespace dreamgym::webshop {

inline constexpr std::string_view kShopHead = R"(<!DOCTYPE html>
<html>
  <head>
    <link rel="stylesheet" href="/static/style.css">
    <link rel="stylesheet" href="https://maxcdn.bootstrapcdn.com/bootstrap/3.4.1/css/bootstrap.min.css">
    <link rel="stylesheet" href="https://cdnjs.cloudflare.com/ajax/libs/font-awesome/4.0.3/css/font-awesome.css	">
    <script src="https://ajax.googleapis.com/ajax/libs/jquery/3.5.1/jquery.min.js"></script>
    <script src="https://stackpath.bootstrapcdn.com/bootstrap/4.3.1/js/bootstrap.bundle.min.js"></script>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div class="container py-5">
      <div class="row top-buffer">
        <div class="col-sm-6">
          <div id="instruction-text" class="text-center">
            <h4>Instruction:<br>)";

// Of the first and the last page.
inline constexpr std::string_view kPlainHead = R"(<!DOCTYPE html>
<html>
  <head>
    <link rel="stylesheet" href="/static/style.css">
    <link rel="stylesheet" href="https://cdnjs.cloudflare.com/ajax/libs/font-awesome/4.7.0/css/font-awesome.min.css">
    <link rel="stylesheet" href="https://maxcdn.bootstrapcdn.com/bootstrap/3.4.1/css/bootstrap.min.css">
    <link rel="icon" href="data:,">
  </head>
  <body>
    <!-- Code reference: https://bootsnipp.com/snippets/m13mN -->
    <div class="container" style="margin-top: 8%;">
      <div class="col-md-6 col-md-offset-3">     
        <div class="row">
)";

inline constexpr std::string_view kItemScriptTop = R"(  <script>
    $(document).ready(function() {
      $('input:radio').each(function() {
        //console.log($(this).val());
        let options = JSON.parse(`)";

inline constexpr std::string_view kItemScriptMiddle = R"(`);
        let optionValues = $.map(options, function(value, key) { return value });
        //console.log(optionValues);
        if (optionValues.includes($(this).val())) {
          $(this).prop('checked', true);

          let option_to_image = JSON.parse(`)";

inline constexpr std::string_view kItemScriptEnd = R"(`);
//          console.log($(this).val());
//          console.log(options);
//          console.log(option_to_image);
          let image_url = option_to_image[$(this).val()];

          //console.log(image_url);
          if (image_url) {
            $("#product-image").attr("src", image_url);
          }
        }
        
        // reload with updated options
        this.addEventListener("click", function() {
          window.location.href = this.dataset.url;
        });

      });
    });
  </script>
</html>)";

}  // namespace dreamgym::webshop
