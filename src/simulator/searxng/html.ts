import type { WireResponse } from "../wire.ts"
import type { SearchAnswer } from "./answer.ts"

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)

const page = (title: string, body: string, status = 200): WireResponse => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: `<!DOCTYPE html><html lang="en"><head><title>${escaped(title)}</title></head><body>${body}</body></html>\n`,
})

const form = (query: string) => `<form action="search"><input name="q" value="${escaped(query)}"></form>`

export const indexPage = (problem?: string): WireResponse =>
  page(
    "SearXNG",
    `${form("")}${problem === undefined ? "" : `<p>${escaped(problem)}</p>`}`,
    problem === undefined ? 200 : 400,
  )

export const errorPage = (status: number, reason: string): WireResponse =>
  page(`${status} ${reason}`, `<h1>${escaped(reason)}</h1>`, status)

export const resultsPage = ({ query, results }: SearchAnswer): WireResponse => {
  const articles = results.map(
    ({ url, title, content }) =>
      `<article><h3><a href="${escaped(url)}">${escaped(title)}</a></h3><p>${escaped(content)}</p></article>`,
  )
  return page(`${query} - SearXNG`, `${form(query)}${articles.join("")}`)
}
