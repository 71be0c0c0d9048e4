// One run: a step leads to its row, and references are tabs.
(() => {
  "use strict";
  const CALM = matchMedia("(prefers-reduced-motion: reduce)");

  // Opens rows, says which they are, and goes to the first.
  const show = (rows) => {
    for (const lit of document.querySelectorAll(".row.lit")) lit.classList.remove("lit");
    for (const row of rows) row.classList.add("lit");
    const first = rows[0];
    first.open = true;
    first.scrollIntoView({ behavior: CALM.matches ? "auto" : "smooth", block: "center" });
    first.querySelector("summary").focus({ preventScroll: true });
  };

  const leads = (section) => {
    const row = (place) => document.getElementById(`${section.id}-row${place}`);
    section.addEventListener("click", (event) => {
      const link = event.target.closest(".lane a, .finding a");
      const target = link && document.getElementById(link.hash.slice(1));
      if (target) target.open = true;
      const holder = link && link.closest("[data-row], [data-rows]");
      if (!holder) return;
      const places = (holder.dataset.row ?? holder.dataset.rows).split(" ");
      const rows = places.map(row).filter(Boolean);
      if (!rows.length) return;
      event.preventDefault();
      show(rows);
    });
  };

  // Who points at a step sees its bands alone.
  const bands = (drawing) => {
    const light = (event, on) => {
      const item = event.target.closest("[data-row]");
      if (!item) return;
      drawing.classList.toggle("chosen", on);
      for (const one of drawing.querySelectorAll(".band, .lane li")) {
        const { from, to, row } = one.dataset;
        one.classList.toggle("on", on && [from, to, row].includes(item.dataset.row));
      }
    };
    for (const kind of ["mouseover", "focusin"]) drawing.addEventListener(kind, (e) => light(e, true));
    for (const kind of ["mouseout", "focusout"]) drawing.addEventListener(kind, (e) => light(e, false));
  };

  const openAll = (section) => {
    const button = section.querySelector(".open-all");
    const rows = section.querySelectorAll(".steps details");
    button.hidden = false;
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") !== "true";
      for (const row of rows) row.open = open;
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "Close all" : "Open all";
    });
  };

  // The pattern of tabs as ARIA describes it: arrows move, Home and End go to the ends.
  const tabs = (run) => {
    const list = run.querySelector("[role=tablist]");
    if (!list) return;
    const all = [...list.querySelectorAll("[role=tab]")];
    const panels = all.map((tab) => document.getElementById(tab.getAttribute("aria-controls")));
    const choose = (place) => {
      all.forEach((tab, k) => {
        tab.setAttribute("aria-selected", String(k === place));
        tab.tabIndex = k === place ? 0 : -1;
        panels[k].hidden = k !== place;
      });
    };
    panels.forEach((panel, k) => {
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", all[k].id);
      panel.removeAttribute("aria-label");
    });
    list.addEventListener("click", (event) => {
      const place = all.indexOf(event.target.closest("[role=tab]"));
      if (place >= 0) choose(place);
    });
    list.addEventListener("keydown", (event) => {
      const now = all.indexOf(document.activeElement);
      const next = {
        ArrowRight: (now + 1) % all.length, ArrowLeft: (now + all.length - 1) % all.length,
        Home: 0, End: all.length - 1,
      }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      choose(next);
      all[next].focus();
    });
    list.hidden = false;
    run.classList.add("tabbed");
    choose(0);
  };

  window.otap.parts.push((root) => {
    for (const run of root.querySelectorAll("[data-otap=run]:not([data-started])")) {
      run.dataset.started = "";
      for (const section of run.querySelectorAll(".against")) {
        leads(section);
        openAll(section);
      }
      for (const drawing of run.querySelectorAll(".lanes")) bands(drawing);
      tabs(run);
    }
    const named = document.getElementById(location.hash.slice(1));
    if (named?.matches(".row")) show([named]); // a link to a step opens it
  });
})();
