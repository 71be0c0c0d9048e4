// Many runs: rows are sorted, filtered and searched; each opens the run that is packed in the page.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const body = $("rows").tBodies[0];
  const rows = [...body.rows];
  const ranks = ["no score", "critical", "major", "minor", "none"]; // the worst first
  const filters = { severity: $("by-severity"), kind: $("by-kind"), tool: $("by-tool"), task: $("by-task") };
  const title = document.title;
  let shown = rows;

  // Rows are laid out one by one, only those near; so it must be said that they are a table still.
  const roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };
  for (const one of [$("rows"), ...$("rows").querySelectorAll("thead, tbody, tr, td")]) {
    one.setAttribute("role", roles[one.tagName]);
  }
  for (const one of $("rows").querySelectorAll("th")) {
    one.setAttribute("role", one.scope === "row" ? "rowheader" : "columnheader");
  }

  // Sorting: by what is shown; equal rows keep their order.
  const texts = new Map(); // of a column, by row; read once
  const column = (header) => [...header.parentNode.children].indexOf(header);
  const keys = {
    text: (row, place) => row.cells[place].textContent.trim(),
    // What is absent comes last in both directions.
    number: (row, place) => Number.parseFloat(row.cells[place].textContent),
    severity: (row) => ranks.length - ranks.indexOf(row.dataset.bad),
  };
  const natural = new Intl.Collator("en", { numeric: true });
  const compare = (a, b) => (typeof a === "string" ? natural.compare(a, b) : a - b);
  const absent = (key) => Number.isNaN(key) || key === "-" || key === "";
  const sort = (header) => {
    const place = column(header), kind = header.dataset.sort;
    const first = kind === "severity" ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const direction = header.getAttribute("aria-sort") === first ? other : first;
    for (const one of header.parentNode.children) one.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const keyed = rows.map((row) => [keys[kind](row, place), row]);
    keyed.sort(([a], [b]) => absent(a) - absent(b) || (absent(a) ? 0 : sign * compare(a, b)));
    rows.splice(0, rows.length, ...keyed.map(([, row]) => row));
    body.append(...rows);
    filter();
  };
  for (const header of $("rows").tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sort(header));
  }

  // Filtering: a row stays if it has all that is asked for.
  const text = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };
  // Kind and tool must be of one finding.
  const has = (row, kind, tool) => (!kind && !tool) || row.dataset.found.split(" ").some((one) => {
    const [k, t] = one.split(".");
    return (!kind || k === kind) && (!tool || t === tool);
  });
  const value = (select) => (select ? select.value : "");
  const filter = () => {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [severity, kind, tool, task] = [filters.severity, filters.kind, filters.tool, filters.task].map(value);
    shown = rows.filter((row) => (!severity || row.dataset.bad === severity)
      && (!task || row.dataset.task === task) && has(row, kind, tool)
      && words.every((word) => text(row).includes(word)));
    const kept = new Set(shown);
    for (const row of rows) row.hidden = !kept.has(row);
    $("count").textContent = shown.length === rows.length
      ? `${rows.length.toLocaleString("en")} ${rows.length === 1 ? "run" : "runs"}`
      : `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} runs`;
    for (const button of document.querySelectorAll("button[data-filter]")) {
      const select = filters[button.dataset.filter];
      button.setAttribute("aria-pressed", String(value(select) === button.dataset.value));
    }
  };
  const form = document.querySelector("form.filters");
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  for (const button of document.querySelectorAll("button[data-filter]")) {
    button.addEventListener("click", () => {
      const select = filters[button.dataset.filter];
      if (!select) return;
      select.value = select.value === button.dataset.value ? "" : button.dataset.value;
      filter();
      $("runs").scrollIntoView({ block: "nearest" });
    });
  }
  for (const button of document.querySelectorAll(".all-bars")) {
    button.addEventListener("click", () => {
      const hidden = button.parentNode.querySelectorAll(".more");
      for (const one of hidden) one.hidden = false;
      button.hidden = true;
      hidden[0].querySelector("button, td").focus?.();
    });
  }
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-pack]");
    if (row && !event.target.closest("a") && !String(getSelection())) location.hash = `run-${row.dataset.n}`;
  });

  // Opening: the pack that a run is in is unpacked when it is asked for.
  const packs = new Map();
  const unpacked = async (number) => {
    if (typeof DecompressionStream === "undefined") {
      throw new Error("this browser cannot unpack it: it has no DecompressionStream; browsers from 2023 on do");
    }
    const bytes = Uint8Array.from(atob($(`pack-${number}`).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  const piece = async (name, number) => {
    if (!packs.has(number)) packs.set(number, unpacked(number));
    const [texts, pieces] = await packs.get(number);
    return pieces[name].map((place) => texts[place]).join("");
  };
  const parsed = (html) => new DOMParser().parseFromString(html, "text/html").body.childNodes;
  let position = 0; // where the list was when a run was opened
  let current = ""; // what is open
  const row = (name) => $(`row-${name.slice(4)}`);
  const step = (link, other) => {
    link.hidden = !other;
    if (other) link.href = `#run-${other.dataset.n}`;
  };
  const neighbours = (name) => {
    const open = shown.filter((one) => "pack" in one.dataset);
    const place = name.startsWith("run-") ? open.indexOf(row(name)) : -1;
    $("place").textContent = place < 0 ? "" : `${place + 1} of ${open.length}, in the order of the list`;
    step($("before"), place > 0 ? open[place - 1] : null);
    step($("after"), place < 0 ? null : open[place + 1]);
  };
  const beside = (name) => {
    const grid = name.startsWith("run-") && `#task-${row(name).dataset.task}`;
    $("beside").hidden = !grid || !document.querySelector(`.tasks a[href="${grid}"]`);
    if (grid) $("beside").href = grid;
  };
  const open = async (name, number) => {
    const place = $("opened");
    if (!current) position = scrollY;
    current = name;
    $("all").hidden = true;
    $("one").hidden = false;
    neighbours(name);
    beside(name);
    place.textContent = "Opening…";
    try {
      const html = await piece(name, number);
      if (current !== name) return; // another one was asked for meanwhile
      place.replaceChildren(...parsed(html));
    } catch (error) {
      place.textContent = `It cannot be opened: ${error.message}.`;
    }
    document.title = `${place.querySelector("h1")?.textContent.trim() ?? name} - ${title}`;
    window.otap.start(place);
    scrollTo(0, 0);
    place.focus({ preventScroll: true });
  };
  const close = () => {
    const last = current && (current.startsWith("run-") ? row(current)
      : document.querySelector(`a[href="#${CSS.escape(current)}"]`));
    current = "";
    $("one").hidden = true;
    $("all").hidden = false;
    $("opened").replaceChildren();
    document.title = title;
    if (!last) return;
    last.closest("details")?.setAttribute("open", ""); // a task is in a list that may be folded
    scrollTo({ top: position, behavior: "instant" });
    (last.querySelector?.("a") ?? last).focus({ preventScroll: true });
  };
  const route = () => {
    const [name] = /^(run|task)-\d+/.exec(location.hash.slice(1)) ?? [""];
    const link = name && document.querySelector(`[href="#${name}"][data-pack], tr[data-pack] [href="#${name}"]`);
    const number = link && (link.dataset.pack ?? link.closest("tr").dataset.pack);
    if (current && !name && $("opened").contains($(location.hash.slice(1)))) return; // a place in it
    if (!number) close();
    else if (name !== current) open(name, number);
  };
  addEventListener("hashchange", route);
  filter();
  route();
})();
