import type { Index } from "./contract.ts"
import { Inline } from "./Inline.tsx"

/** Where to begin. */
export const Home = ({ index }: { readonly index: Index }) => (
  <article>
    <h1>Presage {index.version}</h1>
    <p>
      Prediction-market data over REST, WebSocket streams and signed webhooks. Enter a key above, choose an operation
      and send the request from this page. <a href="/docs/reference/keys.create">POST /v1/keys</a> creates a free key.
    </p>
    <div class="columns">
      {index.guides.slice(0, 6).map(({ name, title, about }) => (
        <section key={name} class="notice">
          <h2>
            <a href={`/docs/guides/${name}`}>{title}</a>
          </h2>
          <p class="small">
            <Inline text={about} />
          </p>
        </section>
      ))}
    </div>
    <h2>Reference</h2>
    <dl class="docs-tags">
      {index.tags.map(({ name, description }) => {
        const first = index.operations.find(({ tag }) => tag === name)
        return (
          <div key={name}>
            <dt>{first === undefined ? name : <a href={`/docs/reference/${first.id}`}>{name}</a>}</dt>
            <dd>
              <Inline text={description} />
            </dd>
          </div>
        )
      })}
    </dl>
    <h2>For programs</h2>
    <ul>
      <li>
        <a href="/openapi.json" target="_blank" rel="noreferrer">
          /openapi.json
        </a>{" "}
        and{" "}
        <a href="/asyncapi.json" target="_blank" rel="noreferrer">
          /asyncapi.json
        </a>
        : the contracts, to generate clients
      </li>
      <li>
        <a href="/docs.md" target="_blank" rel="noreferrer">
          /docs.md
        </a>{" "}
        and{" "}
        <a href="/llms.txt" target="_blank" rel="noreferrer">
          /llms.txt
        </a>
        : everything as Markdown, for agents
      </li>
    </ul>
  </article>
)
