import { Route, Router } from "preact-iso"
import { key } from "../shared/key.ts"
import { Frame } from "../shared/ui/Frame.tsx"
import { KeyForm, SignOutButton } from "../shared/ui/KeyForm.tsx"
import { Empty } from "../shared/ui/States.tsx"
import { CopyPool } from "./CopyPool.tsx"
import { Keys } from "./Keys.tsx"
import { Streams } from "./Streams.tsx"
import { Usage } from "./Usage.tsx"
import { EditWebhook, NewWebhook } from "./WebhookEditor.tsx"
import { Webhooks } from "./Webhooks.tsx"
import { WebhookView } from "./WebhookView.tsx"
import "./dashboard.css"

const sections = [
  { path: "/dashboard", label: "Usage" },
  { path: "/dashboard/keys", label: "Keys" },
  { path: "/dashboard/webhooks", label: "Webhooks" },
  { path: "/dashboard/copy-pool", label: "Copy pool" },
  { path: "/dashboard/streams", label: "Streams" },
]

const Nothing = () => (
  <Empty>
    There is no such page. <a href="/dashboard">Go to usage</a>
  </Empty>
)

export const App = () => {
  const isSignedIn = key.value !== ""
  return (
    <Frame title="Dashboard" sections={isSignedIn ? sections : []} tools={<SignOutButton />}>
      {isSignedIn ? (
        <Router>
          <Route path="/dashboard" component={Usage} />
          <Route path="/dashboard/keys" component={Keys} />
          <Route path="/dashboard/webhooks" component={Webhooks} />
          <Route path="/dashboard/webhooks/new" component={NewWebhook} />
          <Route path="/dashboard/webhooks/:id" component={WebhookView} />
          <Route path="/dashboard/webhooks/:id/edit" component={EditWebhook} />
          <Route path="/dashboard/copy-pool" component={CopyPool} />
          <Route path="/dashboard/streams" component={Streams} />
          <Route default component={Nothing} />
        </Router>
      ) : (
        <KeyForm why="Usage, keys, webhooks, copy pool and streams of your account." />
      )}
    </Frame>
  )
}
