// A page from `boostbench serve` asks its server for a newer one, and stays as its reader left it.
(() => {
  const { make, parts } = boostbench;
  const EVERY = 3000; // milliseconds
  const KEPT = "boostbench-live";
  const status = make("p", { class: "legend", role: "status" }, "Refreshed as results come in.");
  document.querySelector("header").append(status);

  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (kept) {
    const { states, scroll } = JSON.parse(kept);
    parts.forEach((part, place) => {
      if (states[place]) part.restore(states[place]);
    });
    history.scrollRestoration = "manual";
    scrollTo(0, scroll);
  }

  async function ask() {
    if (document.hidden) return;
    try {
      const answer = await (await fetch("/version", { cache: "no-store" })).json();
      const runs = `${answer.finished.toLocaleString("en")} of ${answer.planned.toLocaleString("en")}`;
      status.textContent = `${runs} runs finished. Refreshed as results come in.`;
      if (answer.version === document.documentElement.dataset.version) return;
      const states = parts.map((part) => part.save());
      sessionStorage.setItem(KEPT, JSON.stringify({ states, scroll: scrollY }));
      location.reload();
    } catch {
      status.textContent = "The server has stopped: the page shows the results as they were.";
    }
  }
  ask();
  setInterval(ask, EVERY);
  document.addEventListener("visibilitychange", ask);
})();
