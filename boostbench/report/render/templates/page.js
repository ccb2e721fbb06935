"use strict";
// Without this script the page shows all of its tables and figures. It adds sorting, filtering,
// the runs behind a cell, and a choice of light or dark.
const boostbench = { data: null };
boostbench.read = () => {
  boostbench.data ??= JSON.parse(document.getElementById("data").textContent);
  return boostbench.data;
};
boostbench.make = (tag, attributes = {}, ...content) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...content);
  return made;
};

(() => {
  const { make } = boostbench;
  const LARGE = 8; // rows of a table with a filter

  // -- numbers: as the tables write them -----------------------------------------------------
  const NUMBER = /^[×x≈<>≤≥~\s]*([+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?|[+-]?∞)/i;
  const numberOf = (text) => {
    const found = NUMBER.exec(text.replaceAll("−", "-"));
    if (!found) return null;
    return Number(found[1].replaceAll(",", "").replace("∞", "Infinity"));
  };
  const isBlank = (text) => text === "" || text === "–";
  const textOf = (cell) => (cell.querySelector(".value") ?? cell).textContent.trim();

  // -- sorting -------------------------------------------------------------------------------
  const compareWords = new Intl.Collator("en", { numeric: true }).compare;
  function sort(table, column, direction) {
    const body = table.tBodies[0];
    const rows = table.original;
    const texts = new Map(rows.map((row) => [row, textOf(row.cells[column])]));
    const known = rows.filter((row) => !isBlank(texts.get(row)));
    const numeric = known.every((row) => numberOf(texts.get(row)) !== null);
    const compare = (a, b) =>
      numeric
        ? numberOf(texts.get(a)) - numberOf(texts.get(b))
        : compareWords(texts.get(a), texts.get(b));
    const blank = rows.filter((row) => isBlank(texts.get(row)));
    const sorted = direction ? known.sort((a, b) => direction * compare(a, b)) : rows;
    body.append(...sorted, ...(direction ? blank : []));
    for (const [place, head] of [...headOf(table).cells].entries()) {
      if (direction && place === column) {
        head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      } else head.removeAttribute("aria-sort");
    }
    table.sorted = direction ? [column, direction] : null;
  }
  const headOf = (table) => table.tHead.rows[table.tHead.rows.length - 1];
  function makeSortable(table) {
    table.original = [...table.tBodies[0].rows];
    if (table.original.length < 2) return;
    for (const [column, head] of [...headOf(table).cells].entries()) {
      const button = make("button", { type: "button", class: "sort" }, ...head.childNodes);
      button.addEventListener("click", () => {
        const [last, direction] = table.sorted ?? [];
        const next = last !== column ? 1 : direction > 0 ? -1 : 0;
        sort(table, column, next);
      });
      head.append(button);
    }
  }

  // -- filter, and rows without results ------------------------------------------------------
  function addTools(table, place) {
    const rows = [...table.tBodies[0].rows];
    const pending = rows.filter((row) => row.classList.contains("pending"));
    const folds = pending.length > 0 && pending.length < rows.length;
    if (rows.length < LARGE && !folds) return;
    const tools = make("div", { class: "tools" });
    const count = make("output", { "aria-live": "polite" });
    const title = table.caption.textContent;
    const update = () => {
      const words = (table.filter?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
      table.classList.toggle("folded", folds && !words.length && table.fold);
      const shown = rows.filter((row) => !row.hidden).length;
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    };
    if (rows.length >= LARGE) {
      const label = `Filter the rows of: ${title}`;
      table.filter = make("input", {
        type: "search", placeholder: "Filter rows", "aria-label": label, oninput: update,
      });
      tools.append(table.filter, count);
    }
    if (folds) {
      table.fold = true;
      const words = `${pending.length} row${pending.length > 1 ? "s" : ""} without results`;
      const button = make("button", { type: "button" });
      const toggle = (fold) => {
        table.fold = fold;
        button.textContent = `${fold ? "Show" : "Hide"} ${words}`;
        button.setAttribute("aria-expanded", String(!fold));
        update();
      };
      button.addEventListener("click", () => toggle(!table.fold));
      toggle(true);
      tools.append(button);
    }
    place.before(tools);
  }

  // -- the runs behind a cell ----------------------------------------------------------------
  const quoted = (word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\"'\"'")}'`;
  // Of a name that looks like a pattern, the pattern that matches it.
  const pattern = (name) => name.replace(/[[*?]/g, "[$&]").replaceAll(",", "?");
  function command(cell, run = null) {
    const [dataset, method, runs] = cell;
    const data = boostbench.read();
    const chosen = [["dataset", pattern(dataset)], ["method", pattern(method)]];
    if (run && data.partitions) chosen.push(["split_seed", run[0]]);
    if (run) chosen.push(["fold", run[1]], ["seed", run[2]]);
    const only = chosen.map(([key, value]) => `--only ${quoted(`${key}=${value}`)}`);
    const done = (run ? [run] : runs).some((one) => data.states[one[3]][0] !== "pending");
    return [data.command, ...only, ...(done ? ["--again"] : [])].join(" ");
  }

  function copyButton(block) {
    const button = make("button", { type: "button" }, "Copy");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(block);
        button.textContent = "Selected";
      }
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    return button;
  }

  const shown = (value) =>
    value == null ? "" : Math.abs(value) >= 1e5 ? value.toExponential(4) : String(value);

  function runsTable(cell, block, says) {
    const data = boostbench.read();
    const columns = [
      data.partitions && ["split seed", 0], [data.part, 1], ["seed", 2], [data.score, 4],
      [data.train, 5], ["seconds", 6], ["iterations", 7], ["chosen", 8],
    ].filter((column) => column && (column[1] < 4 || cell[2].some((run) => run[column[1]] != null)));
    const explained = cell[2].some((run) => data.states[run[3]][1]);
    const rows = cell[2].map((run) => {
      const [status, reason] = data.states[run[3]];
      const name = `${data.part} ${run[1]}, seed ${run[2]}`;
      const button = make("button", { type: "button", class: "this" }, "command");
      button.setAttribute("aria-label", `Command for ${name}`);
      button.addEventListener("click", () => {
        block.textContent = command(cell, run);
        says(name);
      });
      const values = columns.map(([, place]) => {
        const value = place === 8 && run[8] != null ? data.chosen[run[8]] : shown(run[place]);
        return make("td", {}, value.replace(/^-/, "−"));
      });
      const state = make("td", { class: "left" }, status);
      const why = explained ? [make("td", { class: "reason left" }, reason)] : [];
      const failed = status !== "ok" && status !== "pending";
      return make(
        "tr", { class: failed ? "failed" : "" }, ...values, state, ...why,
        ...(data.command ? [make("td", {}, button)] : []),
      );
    });
    const heads = [...columns.map(([title]) => title), "status", ...(explained ? ["reason"] : [])];
    const words = ["status", "reason"];
    const head = (title) =>
      make("th", { scope: "col", class: words.includes(title) ? "left" : "" }, title);
    const table = make(
      "table", {},
      make("caption", { class: "hidden" }, `Runs of ${cell[1]} on ${cell[0]}`),
      make("thead", {}, make("tr", {}, ...heads.map(head))),
      make("tbody", {}, ...rows),
    );
    makeSortable(table);
    if (data.command) headOf(table).append(make("td", {}, "run again"));
    return table;
  }

  let opened = null; // {button, panel}
  function close(focus = true) {
    if (!opened) return;
    opened.button.setAttribute("aria-expanded", "false");
    opened.panel.remove();
    if (focus) opened.button.focus();
    opened = null;
  }
  function open(button) {
    const again = opened?.button === button;
    close(again);
    if (again) return;
    const td = button.closest("td");
    const cell = boostbench.read().cells[Number(td.dataset.runs)];
    const finished = cell[2].filter((run) => boostbench.data.states[run[3]][0] === "ok").length;
    const title = make("h4", { tabindex: "-1" });
    title.textContent = `${cell[1]} on ${cell[0]}: ${finished} of ${cell[2].length} runs finished`;
    const panel = make("section", { class: "open", "aria-label": title.textContent }, title);
    const block = make("pre", {});
    const above = make("p", {});
    const says = (which) => {
      const folders = boostbench.data.folders ? " (its folders are left out here)" : "";
      above.textContent = `This command runs ${which} again${folders}:`;
    };
    const closing = make("button", { type: "button", onclick: () => close() }, "Close");
    if (boostbench.data.command) {
      says("all of them");
      block.textContent = command(cell);
      panel.append(above, block, copyButton(block), " ");
    }
    panel.append(closing);
    const table = runsTable(cell, block, says);
    const scroll = { class: "scroll", tabindex: "0", role: "region", "aria-label": "Runs" };
    panel.append(make("div", scroll, table));
    td.closest(".scroll").after(panel);
    button.setAttribute("aria-expanded", "true");
    opened = { button, panel };
    title.focus({ preventScroll: true });
    panel.scrollIntoView({ block: "nearest" });
  }

  function addRuns() {
    for (const td of document.querySelectorAll("td[data-runs]")) {
      const value = td.querySelector(".value");
      const button = make("button", { type: "button", class: "runs", "aria-expanded": "false" });
      button.title = "Show the runs";
      value.before(button);
      button.append(value);
    }
    document.addEventListener("click", (event) => {
      const td = event.target.closest("td[data-runs]");
      if (td && !getSelection().toString()) open(td.querySelector("button.runs"));
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && opened && !event.target.closest("input")) close();
    });
  }

  // -- light and dark ------------------------------------------------------------------------
  function addTheme() {
    const root = document.documentElement;
    const button = document.querySelector("button.theme");
    const stored = { get: () => localStorage.getItem("boostbench-theme") };
    const isDark = () =>
      (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "")) ===
      "dark";
    const label = () => (button.textContent = isDark() ? "Light" : "Dark");
    try {
      if (["light", "dark"].includes(stored.get())) root.dataset.theme = stored.get();
    } catch {} // a browser may keep nothing
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem("boostbench-theme", root.dataset.theme);
      } catch {}
      label();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
    button.hidden = false;
    label();
  }

  const tables = [...document.querySelectorAll("table[data-key]")];
  for (const table of tables) {
    makeSortable(table);
    addTools(table, table.closest(".scroll"));
  }
  addRuns();
  addTheme();
})();
