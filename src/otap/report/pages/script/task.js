// A grid of several runs: columns fold, a cell opens below its row, arrow keys go from cell to cell.
(() => {
  "use strict";

  const made = (name, text, look) => {
    const one = document.createElement(name);
    if (text !== undefined) one.textContent = text;
    if (look) one.className = look;
    return one;
  };

  // Folded, the head of the columns takes the place of theirs, too.
  const fold = (table, head, open) => {
    const number = head.dataset.fold;
    const button = head.querySelector("button");
    const members = table.querySelectorAll(`[data-in="${number}"]`);
    button.setAttribute("aria-expanded", String(open));
    members.forEach((one) => { one.hidden = !open; });
    table.querySelectorAll(`td[data-fold="${number}"]`).forEach((one) => { one.hidden = open; });
    head.colSpan = open ? Number(head.dataset.size) : 1;
    head.rowSpan = open ? 1 : 2;
  };

  // Lines that the other side does not have are marked, where the values are said to differ.
  const written = (text, other, marks) => {
    const found = made("pre");
    found.tabIndex = 0; // what is long scrolls, by keyboard, too
    const bare = (line) => line.replace(/,$/, "");
    const known = new Set((other ?? "").split("\n").map(bare));
    text.split("\n").forEach((line, at) => {
      if (at) found.append("\n");
      const differs = marks && other !== undefined && !known.has(bare(line));
      found.append(differs ? made("mark", `≠ ${line}`) : line);
    });
    return found;
  };

  const calls = (data, places) => places.map((place) => {
    const [number, tool, given, back] = data.calls[place];
    return { number, tool, given: data.texts[given], back: data.texts[back] };
  });

  const side = (title, ours, theirs, nothing, marks) => {
    const found = made("div");
    if (!ours.length) found.append(made("h3", title), made("p", nothing, "muted"));
    ours.forEach((call, at) => {
      found.append(made("h3", `${title}, step ${call.number}: ${call.tool}`));
      found.append(written(call.given ?? "no arguments recorded", theirs[at]?.given, marks));
      if (call.back !== undefined) found.append(made("p", "result:", "muted"), written(call.back));
    });
    return found;
  };

  const detail = (data, cell, name) => {
    const found = made("div", undefined, "task-detail");
    const ours = calls(data, cell.run), theirs = calls(data, cell.reference);
    found.append(made("h2", cell.is ? `${name}: ${cell.is}` : name));
    cell.said.forEach(([severity, sentence]) => {
      const line = made("p");
      line.append(made("strong", severity, severity), ` ${sentence}`);
      found.append(line);
    });
    const sides = made("div", undefined, "task-sides");
    const marks = cell.marks;
    sides.append(side("This run", ours, theirs, "does nothing here", marks));
    sides.append(side("Reference", theirs, ours, "has nothing here", marks));
    if (ours.length || theirs.length) found.append(sides);
    return found;
  };

  const close = (table) => {
    table.querySelectorAll(".task-opened").forEach((one) => one.parentElement.remove());
    table.querySelectorAll('.task-cell[aria-expanded="true"]').forEach((one) => {
      one.setAttribute("aria-expanded", "false");
    });
  };

  const open = (table, data, button) => {
    const row = button.closest("tr");
    const name = row.querySelector(".task-name").textContent;
    const line = made("tr"), wide = made("td", undefined, "task-opened");
    wide.colSpan = 1000;
    wide.append(detail(data, data.cells[button.dataset.cell], name));
    line.append(wide);
    row.after(line);
    button.setAttribute("aria-expanded", "true");
  };

  // One cell of a grid can be tabbed to: the one that was last visited.
  const visit = (table, button) => {
    table.querySelectorAll(".task-cell[tabindex='0']").forEach((one) => { one.tabIndex = -1; });
    button.tabIndex = 0;
  };

  const seen = (one) => one.offsetParent !== null;

  // The next cell in a row, or in a column, that can be opened.
  const next = (table, button, key) => {
    const row = button.closest("tr");
    const inRow = [...row.querySelectorAll(".task-cell")].filter(seen);
    const at = inRow.indexOf(button);
    if (key === "ArrowRight") return inRow[at + 1];
    if (key === "ArrowLeft") return inRow[at - 1];
    if (key === "Home") return inRow[0];
    if (key === "End") return inRow[inRow.length - 1];
    const place = button.dataset.cell.split(":")[1];
    const inColumn = [...table.querySelectorAll(`.task-cell[data-cell$=":${place}"]`)].filter(seen);
    const down = { ArrowDown: 1, ArrowUp: -1 }[key];
    return down && inColumn[inColumn.indexOf(button) + down];
  };

  // The first column in which a run parts is seen at once, also where there is little room.
  const show = (frame, parted) => {
    const ends = parted.map((cell) => cell.getBoundingClientRect().right);
    const beyond = Math.min(...ends) + 16 - frame.getBoundingClientRect().right;
    if (ends.length && beyond > 0) frame.scrollLeft += beyond;
  };

  const start = (section) => {
    const table = section.querySelector(".task-grid");
    if (!table) return;
    const data = JSON.parse(section.querySelector("[data-task-calls]").textContent);
    const heads = [...table.querySelectorAll("th[data-fold]")];
    heads.forEach((head) => { head.dataset.size = head.colSpan; fold(table, head, false); });
    const cells = [...table.querySelectorAll(".task-cell")];
    cells.forEach((one) => { one.tabIndex = -1; });
    const parted = [...table.querySelectorAll(".task-parts")];
    const first = parted[0] ?? cells.find(seen);
    if (first) first.tabIndex = 0;
    show(section.querySelector(".task-scroll"), parted);
    table.addEventListener("click", (event) => {
      const head = event.target.closest("th[data-fold]");
      const button = event.target.closest(".task-cell");
      if (head && event.target.closest("button")) {
        fold(table, head, head.querySelector("button").getAttribute("aria-expanded") === "false");
      }
      if (!button) return;
      const was = button.getAttribute("aria-expanded") === "true";
      close(table);
      if (!was) open(table, data, button);
      visit(table, button);
    });
    table.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return close(table);
      const button = event.target.closest(".task-cell");
      const to = button && next(table, button, event.key);
      if (!to) return;
      event.preventDefault();
      visit(table, to);
      to.focus();
    });
  };

  // Paper cannot be scrolled: a grid that is wider is made smaller.
  const PAPER = 680; // pixels of a page of A4 or letter between its margins
  const size = (of) => document.querySelectorAll(".task-grid").forEach((table) => {
    table.style.zoom = of(table);
  });
  addEventListener("beforeprint", () => size((table) => Math.min(1, PAPER / table.scrollWidth)));
  addEventListener("afterprint", () => size(() => ""));

  window.otap.parts.push((root) => root.querySelectorAll("[data-task]").forEach(start));
})();
