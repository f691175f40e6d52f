import "./docs.css"
import { useEffect } from "preact/hooks"
import { Route, Router, useLocation } from "preact-iso"
import { key } from "../shared/key.ts"
import { Frame } from "../shared/ui/Frame.tsx"
import { Notice, Show } from "../shared/ui/States.tsx"
import type { Index } from "./contract.ts"
import { useDocument } from "./documents.ts"
import { StreamsPage, WebhooksPage } from "./Events.tsx"
import { Guide } from "./Guide.tsx"
import { Home } from "./Home.tsx"
import { Navigation } from "./Navigation.tsx"
import { OperationPage } from "./Operation.tsx"
import { Search } from "./Search.tsx"

/** Kept for this tab and sent as a header only. */
const KeyField = () => (
  <form class="docs-key" autocomplete="off" onSubmit={(event) => event.preventDefault()}>
    <label for="key">API key</label>
    <input
      id="key"
      type="password"
      maxLength={200}
      spellcheck={false}
      autocomplete="off"
      placeholder="psg_live_…"
      value={key.value}
      onInput={(event) => (key.value = event.currentTarget.value.trim())}
    />
  </form>
)

const Missing = () => (
  <Notice kind="error">
    <p>There is no such page. Search for it, or choose one of the contents.</p>
  </Notice>
)

const Content = ({ index }: { readonly index: Index }) => {
  const { path } = useLocation()
  useEffect(() => {
    document.title = "Presage · Documentation"
    if (location.hash === "") scrollTo(0, 0)
  }, [path])
  return (
    <div class="docs">
      <aside class="docs-side">
        <Search index={index} />
        <KeyField />
        <Navigation index={index} />
      </aside>
      <div class="docs-content">
        <Router>
          <Route path="/docs" component={() => <Home index={index} />} />
          <Route
            path="/docs/guides/:name"
            component={({ name }: { name: string }) => <Guide name={name} index={index} />}
          />
          <Route path="/docs/reference/:id" component={({ id }: { id: string }) => <OperationPage id={id} />} />
          <Route path="/docs/streams" component={() => <StreamsPage />} />
          <Route path="/docs/streams/:name" component={({ name }: { name: string }) => <StreamsPage name={name} />} />
          <Route path="/docs/webhooks" component={() => <WebhooksPage index={index} />} />
          <Route
            path="/docs/webhooks/:name"
            component={({ name }: { name: string }) => <WebhooksPage name={name} index={index} />}
          />
          <Route default component={Missing} />
        </Router>
      </div>
    </div>
  )
}

export const App = () => {
  const loaded = useDocument<Index>("/docs/index.json")
  return (
    <Frame title="Documentation">
      <Show loaded={loaded}>{(index) => <Content index={index} />}</Show>
    </Frame>
  )
}
