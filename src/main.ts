import "./platform/process/moduleCache.ts"

const { frontPage } = await import("./cli/frontPage.ts")

const page = frontPage(process.argv.slice(2))
if (page === undefined) await (await import("./cli/Presage.ts")).runPresage()
else process.stdout.write(`${page}\n`)
