(function () {
  var d = document, now = null, was = [];
  function all(s, e) { return [].slice.call((e || d).querySelectorAll(s)); }
  function keep(el, change) {
    var y = el.getBoundingClientRect().top;
    change();
    scrollBy({top: el.getBoundingClientRect().top - y, behavior: "instant"});
  }
  function address(key) {
    try { history.replaceState(null, "", key ? "#" + key : location.pathname + location.search); } catch (e) { /* a page in a frame */ }
  }
  function shut(focus) {
    if (!now) return;
    var n = now;
    now = null;
    keep(n.a, function () { n.slot.replaceWith(n.card); n.tr.remove(); n.a.setAttribute("aria-expanded", "false"); });
    if (focus) { address(""); n.a.focus({preventScroll: true}); }
  }
  function show(a) {
    if (now && now.a === a) return shut(true);
    keep(a, function () {
      shut();
      var card = d.getElementById(a.dataset.card), row = a.closest("tr"), tr = d.createElement("tr"), td = d.createElement("td"), slot = d.createElement("span");
      td.colSpan = [].reduce.call(row.cells, function (n, c) { return n + c.colSpan; }, 0);
      tr.className = "opened";
      tr.append(td);
      card.replaceWith(slot);
      td.append(card);
      row.after(tr);
      a.setAttribute("aria-expanded", "true");
      now = {a: a, tr: tr, card: card, slot: slot};
    });
    address(a.dataset.card);
    var box = now.tr.getBoundingClientRect();
    if (box.bottom > innerHeight) scrollBy({top: Math.min(box.bottom - innerHeight + 8, a.getBoundingClientRect().top - 40), behavior: "instant"});
  }
  function step(a, key) {
    var cell = a.closest("td,th"), row = cell.parentNode, i = cell.cellIndex;
    var to = {ArrowRight: cell.nextElementSibling, ArrowLeft: cell.previousElementSibling, ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling}[key];
    if (to && to.className === "opened") to = key === "ArrowDown" ? to.nextElementSibling : to.previousElementSibling;
    if (to && to.cells) to = to.cells[i];
    return to && to.querySelector("a[data-card]");
  }
  all("a[data-card]").forEach(function (a) {
    a.setAttribute("role", "button");
    a.setAttribute("aria-expanded", "false");
    a.addEventListener("click", function (e) { if (!e.metaKey && !e.ctrlKey) { e.preventDefault(); show(a); } });
    a.addEventListener("keydown", function (e) {
      if (e.key === " ") { e.preventDefault(); show(a); }
      var to = step(a, e.key);
      if (to) { e.preventDefault(); to.focus(); }
    });
  });
  function choose(chips, key) {
    all("button", chips).forEach(function (b) { b.setAttribute("aria-pressed", String(b.dataset.f === key)); });
    all(".group,.choice", chips.parentNode).forEach(function (g, i) {
      g.hidden = !!key && g.id !== key;
      if (g.tagName === "DETAILS") g.open = key ? g.id === key : i === 0;
    });
  }
  all(".chips").forEach(function (chips) {
    chips.addEventListener("click", function (e) {
      var b = e.target.closest("button");
      if (b) keep(chips, function () { choose(chips, b.dataset.f); address(b.dataset.f); });
    });
  });
  function follow() {
    var key = decodeURIComponent(location.hash.slice(1)), at = key && d.getElementById(key);
    if (!at) return;
    var button = all(".chips button").filter(function (b) { return b.dataset.f === key; })[0];
    var cell = all("a[data-card]").filter(function (a) { return a.dataset.card === key && a.getClientRects().length; })[0];
    if (button) choose(button.parentNode, key);
    if (cell && !(now && now.a === cell)) show(cell);
    for (var e = at; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    at.scrollIntoView({block: cell ? "center" : "start"});
  }
  d.addEventListener("keydown", function (e) { if (e.key === "Escape" && now) shut(true); });
  d.addEventListener("click", function (e) { if (e.target.className === "close") shut(true); });
  all(".card pre,pre.cmd").forEach(function (pre) {
    if (!navigator.clipboard) return;
    var b = d.createElement("button"), text = pre.textContent.trim();
    b.type = "button";
    b.className = "copy";
    b.textContent = "copy";
    b.setAttribute("aria-label", "copy " + text);
    b.addEventListener("click", function () { navigator.clipboard.writeText(text); b.textContent = "copied"; });
    pre.append(b);
  });
  function sideways() {
    all(".scroll").forEach(function (s) { s.classList.toggle("cut", s.scrollWidth > s.clientWidth + 1); });
  }
  addEventListener("resize", sideways);
  d.addEventListener("toggle", sideways, true);
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", function () {
    shut();
    was = all(".group:not([open]),.more>details:not([open])");
    was.forEach(function (x) { x.open = true; });
  });
  addEventListener("afterprint", function () { was.forEach(function (x) { x.open = false; }); });
  d.documentElement.classList.add("js");
  sideways();
  follow();
})();
