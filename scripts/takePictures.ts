/**
 * Takes pictures of every page from a running service on the simulated venue, which may be tiny: on a desk in light colours
 * and on a phone in dark ones, or also the other way round with `all`. It takes two minutes, or four:
 *
 *     WEBHOOKS_ALLOW_INSECURE=true npm start                       (in another terminal)
 *     node scripts/takePictures.ts http://localhost:8080 $KEY .presage/pictures [all]
 *
 * The console is open to programs of the same machine; otherwise give its token as CONSOLE_TOKEN. The pictures that the README
 * shows are renewed as well, in `docs/pictures`.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Browser, Page } from "playwright-core"
import { receiver } from "./examples/changes.ts"
import { ask, type Service } from "./examples/world.ts"
import { launch, untilSettled } from "./pictures/chromium.ts"
import { missingIn, namesIn } from "./pictures/names.ts"
import { consolePages, dashboardPages, docsPages, explorerPages, type Shown } from "./pictures/pages.ts"

const [address = "http://localhost:8080", key = "", folder = ".presage/pictures", which = "some"] =
  process.argv.slice(2)
const service: Service = { address: address.replace(/\/$/, ""), key }
const remembered = { "presage-key": key, "presage-console-token": process.env["CONSOLE_TOKEN"] ?? "" }

const desk = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }
const looks = [
  { name: "desk-light", viewport: desk, colorScheme: "light" },
  { name: "phone-dark", viewport: phone, colorScheme: "dark" },
  ...(which === "all"
    ? ([
        { name: "desk-dark", viewport: desk, colorScheme: "dark" },
        { name: "phone-light", viewport: phone, colorScheme: "light" },
      ] as const)
    : []),
] as const
type Look = (typeof looks)[number]

/** What the README shows, on a desk in light colours, at the size of a window. */
const inReadme = new Set(["explore-market", "explore-live", "dashboard-usage"])
const readmeFolder = new URL("../docs/pictures/", import.meta.url)

/** A webhook with deliveries and a pool with scores, so that no page is empty. */
const fill = async (wallet: string) => {
  const { url, close } = await receiver()
  const body = { url, event_types: ["trade"], filters: { min_amount_usd: 1 }, description: "Trades for the pictures" }
  const { id } = (await ask(service, "POST", "/v3/webhooks", body)).body as { readonly id: string }
  await ask(service, "POST", `/v3/webhooks/${id}/test`)
  await ask(service, "POST", "/v2/copy-pnl/wallets", { addresses: [wallet] })
  const remove = async () => {
    await ask(service, "DELETE", `/v3/webhooks/${id}`)
    await ask(service, "DELETE", "/v2/copy-pnl/wallets", { addresses: [wallet] })
    close()
  }
  return { webhook: id, remove }
}

/** The stored form is WebP, a fraction of PNG. */
const capture = async (page: Page, isWhole: boolean): Promise<Buffer> => {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: 80,
    captureBeyondViewport: isWhole,
    ...(isWhole ? { clip: { ...(await sizeOf(page)), x: 0, y: 0, scale: 1 } } : {}),
  })
  await session.detach()
  return Buffer.from(data, "base64")
}

const sizeOf = (page: Page) =>
  page.evaluate<{ width: number; height: number }>(
    "({ width: document.documentElement.clientWidth, height: document.documentElement.scrollHeight })",
  )

const take = async (page: Page, { name, path }: Shown, look: Look) => {
  await page.setViewportSize(look.viewport)
  await page.goto(`${service.address}${path}`)
  await untilSettled(page)
  // Streams and charts fill up while one looks.
  await setTimeout(/live|stream|market|console/.test(name) ? 3_000 : 300)
  writeFileSync(join(folder, `${name}.${look.name}.webp`), await capture(page, true))
  if (look.name === "desk-light" && inReadme.has(name))
    writeFileSync(new URL(`${name}.webp`, readmeFolder), await capture(page, false))
}

/** Takes every page in one look; returns the names of those that could not be taken. */
const takeAll = async (browser: Browser, shown: ReadonlyArray<Shown>, look: Look): Promise<ReadonlyArray<string>> => {
  const context = await browser.newContext({ colorScheme: look.colorScheme, timezoneId: "UTC" })
  await context.addInitScript(`for (const [name, value] of Object.entries(${JSON.stringify(remembered)}))
    if (value !== "") sessionStorage.setItem(name, value)`)
  const page = await context.newPage()
  const failed: Array<string> = []
  for (const [i, each] of shown.entries()) {
    const picture = `${each.name}.${look.name}`
    const since = performance.now()
    const problem = await take(page, each, look).catch((error: unknown) => String(error))
    if (problem !== undefined) failed.push(picture)
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    process.stdout.write(`${look.name} ${i + 1}/${shown.length} ${each.name} ${problem ?? `${seconds} s`}\n`)
  }
  await context.close()
  return failed
}

const names = await namesIn(service)
const missing = missingIn(names)
if (missing !== undefined) throw new Error(`there is no ${missing} yet: is ${address} ready, and the key good?`)
const browser = await launch()
const { webhook, remove } = await fill(names.wallet)
const pages = [...explorerPages(names), ...dashboardPages({ webhook }), ...consolePages, ...docsPages]
for (const each of [folder, readmeFolder]) mkdirSync(each, { recursive: true })
try {
  const failed: Array<string> = []
  for (const look of looks) failed.push(...(await takeAll(browser, pages, look)))
  process.stdout.write(`${pages.length * looks.length - failed.length} pictures in ${folder}\n`)
  if (failed.length > 0) throw new Error(`not taken: ${failed.join(", ")}`)
} finally {
  await browser.close()
  await remove()
}
