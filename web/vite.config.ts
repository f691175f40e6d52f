import { defineConfig } from "vite"

const pages = ["dashboard", "explore", "console", "docs"]

/** Builds every page into `web/dist`, which is checked in: people who run the service need no build tool. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: Object.fromEntries(pages.map((page) => [page, `${import.meta.dirname}/${page}/index.html`])),
    },
  },
})
