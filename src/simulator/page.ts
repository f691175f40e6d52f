import type { Simulation } from "./Simulation.ts"
import type { Service } from "./wire.ts"
import { coins } from "./world/oracle.ts"

const safe = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
const usd = (micro: number) => `$${Math.round(micro / 1_000_000).toLocaleString("en-US")}`

const busiest = (sim: Simulation) =>
  sim.made.world.venue.markets
    .filter(({ closed }) => !closed)
    .sort((a, b) => b.volume - a.volume)
    .slice(0, 12)

/** A page on which a person sees that the world lives; it asks for itself anew every two seconds. */
export const pageService =
  (sim: Simulation): Service =>
  (request) => {
    if (request.path !== "/")
      return { status: 404, headers: { "content-type": "application/json" }, body: '{"error":"not found"}' }
    const second = Math.floor(sim.now() / 1000)
    const prices = coins.map(
      ({ symbol }, coin) =>
        `<td>${symbol}<br><b>${(sim.made.world.oracle.priceAt(coin, second) / 1e8).toPrecision(7)}</b></td>`,
    )
    const rows = busiest(sim).map(
      ({ plan, event, last, volume }) =>
        `<tr><td>${safe(event.plan.title)}<br><small>${safe(plan.question)}</small></td><td>${(last / 10).toFixed(1)}%</td><td>${usd(volume)}</td></tr>`,
    )
    return {
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8" },
      body: `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Simulated venue</title>
<style>body{font:15px system-ui;margin:2rem auto;max-width:52rem;color:#222}td{padding:.3rem .8rem;border-bottom:1px solid #ddd;vertical-align:top}small{color:#777}table{border-collapse:collapse;width:100%}</style>
<h1>Simulated venue</h1>
<p>Block <b>${sim.head}</b>, ${new Date(sim.now()).toISOString()}${sim.frozen ? ", frozen" : ""}. ${sim.made.world.facts.fills.toLocaleString("en-US")} fills by ${sim.made.wallets.length} wallets.
<a href="/_sim/state">/_sim/state</a></p>
<table><tr>${prices.join("")}</tr></table><h2>Busiest markets</h2><table>${rows.join("")}</table>`,
    }
  }
