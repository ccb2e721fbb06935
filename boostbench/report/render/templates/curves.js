// Learning curves that can be asked: which quantity, against what, which methods, which axes.
// They stand in place of the drawn panels, which stay for readers without scripts.
(() => {
  const { make } = boostbench;
  const drawn = document.querySelector(".panels[data-curves]");
  const given = drawn && boostbench.read().curves;
  if (!given?.curves?.length) return;

  const WIDTH = 380, HEIGHT = 260, LEFT = 52, RIGHT = 10, TOP = 24, BOTTOM = 36;
  const DASHES = ["", "7 2", "6 2 1 2", "1.5 1.8", "4 1.5 1 1.5 1 1.5", "10 3", "12 2 1.5 2", "3 2"];
  const FLAT = "12 2";
  const svg = (tag, attributes = {}, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text) made.textContent = text;
    return made;
  };
  const colour = (method) => `var(--${method[1]})`;
  const dash = (method) => DASHES[(method[2] + Math.floor(method[2] / 8)) % DASHES.length];

  const quantities = given.quantities;
  const times = quantities.filter(([name]) => name.endsWith("_s"));
  const scores = quantities.filter(([name]) => !name.endsWith("_s"));
  const state = {
    y: (scores[0] ?? times[0])[0], x: "iteration", logX: false, logY: false, off: [],
  };
  state.logY = quantities.find(([name]) => name === state.y)[3];

  // -- axes ------------------------------------------------------------------------------------
  const digits = (value) => Number(value.toPrecision(4)).toLocaleString("en", {
    maximumSignificantDigits: 4,
  });
  function ticksOf(low, high, log) {
    if (log) {
      const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
      for (const steps of [[1], [1, 2, 5]]) {
        const found = [];
        for (let k = first; k <= last; k++) {
          for (const step of steps) found.push(Number(`${step}e${k}`));
        }
        const inside = found.filter((value) => value >= low && value <= high);
        if (inside.length >= 2) {
          const every = Math.ceil(inside.length / 7);
          return inside.filter((_, place) => place % every === 0);
        }
      }
    }
    const raw = (high - low) / 5 || 1;
    const size = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((part) => part * size).find((part) => part >= raw);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k++) {
      found.push(Number((k * step).toPrecision(12)));
    }
    return found;
  }
  function axisOf(values, log, from, to) {
    let known = values.filter((value) => value != null && (!log || value > 0));
    if (!known.length) known = [1, 2];
    let low = known.reduce((a, b) => Math.min(a, b)), high = known.reduce((a, b) => Math.max(a, b));
    if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
    else if (!log) {
      const room = (high - low) * 0.04;
      [low, high] = [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
    }
    const f = log ? Math.log10 : Number;
    const place = (value) => from + ((f(value) - f(low)) / (f(high) - f(low))) * (to - from);
    return { place, ticks: ticksOf(low, high, log), low };
  }

  // -- one data set ----------------------------------------------------------------------------
  const pointsOf = (curve) => {
    const [, , , steps, found] = curve;
    const xs = state.x === "iteration" ? steps : found[state.x]?.[0];
    const [ys, lows, highs] = found[state.y] ?? [];
    return xs?.length && ys?.length ? { xs, ys, lows, highs } : null;
  };
  function chart(dataset) {
    const shown = given.methods
      .filter((method) => !state.off.includes(method[0]))
      .map((method) => [method, given.curves.find((c) => c[0] === dataset && c[1] === method[0])])
      .filter(([, curve]) => curve && pointsOf(curve))
      .map(([method, curve]) => ({ method, ...pointsOf(curve) }));
    // A method without stages is a horizontal line.
    const levels = given.levels
      .filter((one) => one[0] === dataset && one[2] === state.y && !state.off.includes(one[1]))
      .map((one) => ({ method: given.methods.find((m) => m[0] === one[1]), level: one[3] }));
    const x = axisOf(shown.flatMap((one) => one.xs), state.logX, LEFT, WIDTH - RIGHT);
    // What the first steps show is above what one wants to see, on a linear axis.
    const first = (one) => (state.logY || state.y.endsWith("_s") ? 0 : one.ys.length > 50 ? 2 : 0);
    const heights = shown.flatMap((one) => one.ys.slice(first(one)));
    const all = [...heights, ...levels.map((one) => one.level)];
    const y = axisOf(all, state.logY, HEIGHT - BOTTOM, TOP);
    const words = quantities.find(([name]) => name === state.y)[1];
    const picture = svg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", tabindex: "0", role: "img",
      "aria-label": `${dataset}: ${words} of ${[...shown, ...levels].map((one) => one.method[0]).join(", ")}. ` +
        "The arrow keys read values.",
      "font-size": 10,
    });
    picture.append(svg("text", { x: LEFT, y: 14, "font-size": 12, "font-weight": 600 }, dataset));
    for (const tick of x.ticks) {
      const at = x.place(tick);
      picture.append(
        svg("path", { d: `M${at} ${TOP}V${HEIGHT - BOTTOM}`, class: "grid" }),
        svg("text", { x: at, y: HEIGHT - BOTTOM + 13, "text-anchor": "middle" }, digits(tick)),
      );
    }
    for (const tick of y.ticks) {
      const at = y.place(tick);
      picture.append(
        svg("path", { d: `M${LEFT} ${at}H${WIDTH - RIGHT}`, class: "grid" }),
        svg("text", { x: LEFT - 5, y: at + 3, "text-anchor": "end" }, digits(tick)),
      );
    }
    const against = state.x === "iteration" ? "iterations" : quantities.find(([n]) => n === state.x)[1];
    const middle = (TOP + HEIGHT - BOTTOM) / 2;
    picture.append(
      svg("path", { d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}`, class: "axis" }),
      svg("text", { x: WIDTH - RIGHT, y: HEIGHT - 6, "text-anchor": "end", class: "soft" }, against),
      svg("text", {
        x: 11, y: middle, "text-anchor": "middle", class: "soft", transform: `rotate(-90 11 ${middle})`,
      }, words),
    );
    const clip = `clip-${given.curves.findIndex((curve) => curve[0] === dataset)}`;
    const area = svg("clipPath", { id: clip });
    area.append(svg("rect", {
      x: LEFT, y: TOP, width: WIDTH - RIGHT - LEFT, height: HEIGHT - BOTTOM - TOP,
    }));
    const lines = svg("g", { "clip-path": `url(#${clip})` });
    const drawLine = (method, path, dashes) => {
      const line = svg("path", { d: path, class: "line" });
      line.dataset.method = method[0];
      line.style.cssText =
        `fill: none; stroke: ${colour(method)}; stroke-width: 1.6; stroke-dasharray: ${dashes}`;
      lines.append(line);
    };
    for (const { method, level } of levels) {
      if (!state.logY || level > 0) {
        drawLine(method, `M${LEFT} ${y.place(level).toFixed(1)}H${WIDTH - RIGHT}`, FLAT);
      }
    }
    for (const { method, xs, ys, lows, highs } of shown) {
      const usable = (i) =>
        xs[i] != null && ys[i] != null && (!state.logX || xs[i] > 0) && (!state.logY || ys[i] > 0);
      const kept = ys.map((_, i) => i).filter(usable);
      const point = (i, value) => `${x.place(xs[i]).toFixed(1)} ${y.place(value).toFixed(1)}`;
      if (lows && kept.length) {
        const least = (i) => (state.logY ? Math.max(lows[i], ys[i] / 10) : lows[i]);
        const top = kept.map((i) => point(i, highs[i]));
        const under = kept.map((i) => point(i, least(i))).reverse();
        const band = svg("path", { d: `M${[...top, ...under].join("L")}Z` });
        band.style.cssText = `fill: ${colour(method)}; fill-opacity: 0.14; stroke: none`;
        lines.append(band);
      }
      drawLine(method, `M${kept.map((i) => point(i, ys[i])).join("L")}`, dash(method));
    }
    const cursor = svg("path", { class: "axis", d: "" });
    picture.append(area, lines, cursor);
    const readout = make("p", { class: "readout", "aria-live": "polite" });
    const places = [...new Set(shown.flatMap((one) => one.xs))].filter((v) => v != null).sort((a, b) => a - b);
    let at = -1;
    const read = (value) => {
      cursor.setAttribute("d", `M${x.place(value)} ${TOP}V${HEIGHT - BOTTOM}`);
      const unit = state.x === "iteration" ? "iteration" : "after";
      readout.textContent = `${unit} ${digits(value)}${unit === "after" ? " s" : ""}: `;
      for (const { method, xs, ys } of shown) {
        const place = xs.findLastIndex((own) => own != null && own <= value * (1 + 1e-9));
        if (place < 0 || ys[place] == null) continue;
        const name = make("b", {}, method[0]);
        name.style.color = colour(method);
        readout.append(name, ` ${digits(ys[place])}  `);
      }
      for (const { method, level } of levels) {
        const name = make("b", {}, method[0]);
        name.style.color = colour(method);
        readout.append(name, ` ${digits(level)}  `);
      }
    };
    const move = (place) => {
      at = Math.max(0, Math.min(places.length - 1, place));
      if (places.length) read(places[at]);
    };
    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect();
      const where = ((event.clientX - box.left) / box.width) * WIDTH;
      const off = (value) => Math.abs(x.place(value) - where);
      const usable = places.filter((value) => !state.logX || value > 0);
      if (usable.length) move(places.indexOf(usable.reduce((a, b) => (off(a) <= off(b) ? a : b))));
    });
    picture.addEventListener("pointerleave", () => {
      cursor.setAttribute("d", "");
      readout.textContent = "";
    });
    picture.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 };
      if (!(event.key in steps)) return;
      event.preventDefault();
      move(at + steps[event.key]);
    });
    return make("figure", {}, picture, readout);
  }

  // -- controls ----------------------------------------------------------------------------------
  const grid = make("div", { class: "panels wide" });
  const draw = () => {
    const datasets = [...new Set(given.curves.map((curve) => curve[0]))];
    grid.replaceChildren(...datasets.map(chart));
  };
  const choice = (label, options, key) => {
    const select = make("select", { name: key });
    for (const [value, words] of options) select.append(make("option", { value }, words));
    select.value = state[key];
    select.addEventListener("change", () => {
      state[key] = select.value;
      const known = quantities.find(([name]) => name === select.value);
      const [box, log] = key === "y" ? [logs.logY, "logY"] : [logs.logX, "logX"];
      state[log] = box.checked = Boolean(known?.[3]);
      draw();
    });
    return make("label", {}, `${label} `, select);
  };
  const logs = {};
  const tick = (label, key) => {
    logs[key] = make("input", { type: "checkbox", name: key });
    logs[key].checked = state[key];
    logs[key].addEventListener("change", () => {
      state[key] = logs[key].checked;
      draw();
    });
    return make("label", {}, logs[key], ` ${label}`);
  };
  const method = (entry) => {
    const sample = svg("svg", { viewBox: "0 0 30 10", "aria-hidden": "true" });
    const line = svg("path", { d: "M0 5H30" });
    line.style.cssText = `stroke: ${colour(entry)}; stroke-width: 2.5; stroke-dasharray: ${dash(entry)}`;
    sample.append(line);
    const button = make("button", { type: "button", class: "method", "aria-pressed": "true" });
    button.append(sample, entry[0]);
    button.dataset.method = entry[0];
    button.addEventListener("click", () => {
      const off = state.off.includes(entry[0]);
      state.off = off ? state.off.filter((name) => name !== entry[0]) : [...state.off, entry[0]];
      button.setAttribute("aria-pressed", String(off));
      draw();
    });
    return button;
  };
  const choices = make("div", { class: "tools" });
  const methods = make("div", { class: "tools methods", role: "group", "aria-label": "Methods shown" });
  let controls;
  const build = () => {
    choices.replaceChildren(
      choice("Show", quantities, "y"),
      choice("against", [["iteration", "iterations"], ...times], "x"),
      tick("logarithmic across", "logX"), tick("logarithmic up", "logY"), controls,
    );
    methods.replaceChildren(...given.methods.map(method));
    for (const button of methods.children) {
      button.setAttribute("aria-pressed", String(!state.off.includes(button.dataset.method)));
    }
    draw();
  };
  const legend = make(
    "p", { class: "legend" },
    "Scores: mean over runs with a band of one sd to either side. Objectives and times: median " +
      "over runs with a band from the smallest to the largest. Point at a curve, or press the " +
      "arrow keys on a panel, to read values.",
  );
  const own = make("div", { id: "curves" }, choices, methods, grid, legend);
  const figures = [...document.querySelectorAll(".panels[data-curves]")];
  const show = (printed) => {
    for (const figure of figures) figure.hidden = !printed;
    controls.textContent = printed ? "Hide the drawn figures" : "Show the drawn figures";
    controls.setAttribute("aria-expanded", String(printed));
  };
  controls = make("button", { type: "button", onclick: () => show(figures[0].hidden) });
  drawn.before(own);
  build();
  show(false);
})();
