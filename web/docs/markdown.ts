import { Marked, type Tokens } from "marked"

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** The same as in the index that the service makes. */
const anchorOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** Guides link to each other as files. Files that are not served become text. */
const targetOf = (href: string): string | undefined => {
  if (/^(#|https?:\/\/|\/(?!\/))/.test(href)) return href
  const [, name, anchor = ""] = /^(?:\.\/)?([a-z-]+)\.md(#.*)?$/.exec(href) ?? []
  return name === undefined ? undefined : `/docs/guides/${name}${anchor}`
}

const marked = new Marked({
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escaped(text),
    heading({ tokens, depth }: Tokens.Heading) {
      const shown = this.parser.parseInline(tokens)
      return `<h${depth} id="${anchorOf(shown.replaceAll(/<[^>]+>/g, ""))}" tabindex="-1">${shown}</h${depth}>`
    },
    link({ href, tokens }: Tokens.Link) {
      const shown = this.parser.parseInline(tokens)
      const target = targetOf(href)
      if (target === undefined) return shown
      return `<a href="${escaped(target)}"${/^http/.test(target) ? ' rel="noreferrer"' : ""}>${shown}</a>`
    },
    image: ({ text }: Tokens.Image) => escaped(text),
    code: ({ text }: Tokens.Code) => `<pre class="code" tabindex="0"><code>${escaped(text)}</code></pre>`,
    table(token: Tokens.Table) {
      const cell = (name: string) => (each: Tokens.TableCell) =>
        `<${name}>${this.parser.parseInline(each.tokens)}</${name}>`
      const rows = token.rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`).join("")
      const head = `<tr>${token.header.map(cell("th")).join("")}</tr>`
      return `<div class="table-frame" tabindex="0"><table><thead>${head}</thead><tbody>${rows}</tbody></table></div>`
    },
  },
})

/** Our own documents as HTML. */
export const toHtml = (text: string): string => marked.parse(text, { async: false })
