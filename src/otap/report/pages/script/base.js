// What all pages share. A part of a page (a file beside this one) adds a function that makes its
// markup answer: otap.parts.push(root => ...). It looks for its elements in root alone, so that
// markup which is put into the page later answers too, once otap.start(root) was called with it.
window.otap = {
  parts: [],
  start(root) { for (const part of this.parts) part(root); },
};
document.addEventListener("DOMContentLoaded", () => window.otap.start(document));

// Light or dark: as the machine has it, until the reader says otherwise.
(() => {
  "use strict";
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try { chosen = localStorage.getItem("otap-theme"); } catch { /* a page from disk may have none */ }
  const apply = () => {
    const dark = chosen ? chosen === "dark" : system.matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    button.setAttribute("aria-pressed", String(dark));
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("otap-theme", chosen); } catch { /* the same */ }
    apply();
  });
  system.addEventListener("change", apply);
  apply();
})();
// On paper nothing can be opened: all is.
(() => {
  "use strict";
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => { opened.forEach((one) => { one.open = false; }); });
})();
