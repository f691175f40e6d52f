import { json, type Service } from "./wire.ts"

const style = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 14%,transparent);--soft:color-mix(in srgb,currentColor 60%,transparent)}
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:66rem;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1rem;margin:0 0 .5rem}
header{display:flex;flex-wrap:wrap;gap:.3rem 1.5rem;align-items:baseline;margin-bottom:1.2rem}
header p,small,th{color:var(--soft)}header p{margin:0}
section{border:1px solid var(--line);border-radius:.6rem;padding:1rem;margin-bottom:1rem;overflow-x:auto}
#coins{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.5rem,1fr));gap:1rem}
#coins svg{display:block;width:100%;height:2rem}#coins b{display:block}
table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:normal;font-size:.85em}
td,th{padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}tr:last-child td{border-bottom:0}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}code{font-size:.85em}
polyline{fill:none;stroke:currentColor;stroke-width:1.5;vector-effect:non-scaling-stroke}
#lost{color:#c33}`

/** Runs in the browser. World text is inserted as text nodes, never as markup. */
const script = `
const at=(id)=>document.getElementById(id)
const make=(name,props={},...inside)=>{const e=Object.assign(document.createElement(name),props);e.append(...inside);return e}
const usd=(micro)=>"$"+Math.round(micro/1e6).toLocaleString("en-US")
const row=(...cells)=>make("tr",{},...cells.map((c)=>c instanceof Node?c:make("td",{},String(c))))
const n=(text)=>make("td",{className:"n"},String(text))
const fill=(id,head,rows,none)=>at(id).replaceChildren(...(rows.length?[make("table",{},make("tr",{},...head.map((h)=>make("th",{className:h[0]==="#"?"n":""},h.replace("#","")))),...rows)]:[make("small",{},none)]))
const line=(prices)=>{const low=Math.min(...prices),span=Math.max(...prices)-low||1
const svg=document.createElementNS("http://www.w3.org/2000/svg","svg");svg.setAttribute("viewBox","0 0 "+(prices.length-1)+" 30");svg.setAttribute("preserveAspectRatio","none")
const p=document.createElementNS(svg.namespaceURI,"polyline");p.setAttribute("points",prices.map((v,i)=>i+","+(28-26*(v-low)/span)).join(" "));svg.append(p);return svg}
const faultRow=({id,state,upstream,channel,kind,share,path,from,until,seen,hits,...more})=>row(id,state,upstream,channel,make("td",{},make("b",{},kind)),Object.entries(path?{...more,path}:more).map((e)=>e.join(" ")).join(", "),n(Math.round(share*100)+" %"),n(hits+" / "+seen))
const show=(g)=>{
at("when").textContent=new Date(g.now).toISOString().replace("T"," ").slice(0,19)+" UTC"+(g.frozen?", frozen":"")
at("sum").textContent=g.markets.toLocaleString("en-US")+" markets, "+g.fills.toLocaleString("en-US")+" fills by "+g.wallets.toLocaleString("en-US")+" wallets, "+g.pending+" transactions pending"
at("coins").replaceChildren(...g.coins.map(({symbol,prices})=>make("div",{},make("small",{},symbol),make("b",{},prices.at(-1).toPrecision(7)),line(prices))))
fill("faults",["Fault","","Upstream","Channel","Kind","With","#Share","#Hits"],g.faults.map(faultRow),g.schedule?"None now; a schedule is active.":"None: every upstream is healthy.")
fill("markets",["Market","#Last","#5 minutes","#Volume"],g.busiest.map((m)=>row(make("td",{},m.event,...(m.question===m.event?[]:[make("br"),make("small",{},m.question)])),n((m.last/10).toFixed(1)+" %"),n(usd(m.recent)),n(usd(m.volume)))),"Nothing was traded in the last five minutes.")
fill("blocks",["Block","Time","Hash","#Transactions"],g.blocks.map((b)=>row(b.number,new Date(b.timestamp*1000).toISOString().slice(11,19),make("td",{},make("code",{},b.hash.slice(0,18)+"…")),n(b.transactions))),"")
}
const refresh=async()=>{try{show(await(await fetch("/_sim/glance")).json());at("lost").textContent=""}catch{at("lost").textContent="no response"}setTimeout(refresh,2000)}
refresh()`

const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Simulated venue</title>
<style>${style}</style>
<header><h1>Simulated venue</h1><p id="when"></p><p id="sum"></p><p id="lost"></p></header>
<section id="coins"></section>
<section><h2>Faults</h2><div id="faults"></div></section>
<section><h2>Busiest markets of the last five minutes</h2><div id="markets"></div></section>
<section><h2>Newest blocks</h2><div id="blocks"></div></section>
<p><small>JSON: <a href="/_sim/glance">/_sim/glance</a>; see also <a href="/_sim/state">/_sim/state</a> and <a href="/_sim/faults">/_sim/faults</a>.</small></p>
<script>${script}</script>
</html>
`

/** A live overview page of the world that refreshes every two seconds. */
export const pageService: Service = ({ path }) =>
  path === "/"
    ? { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: html }
    : json({ error: "not found" }, 404)
