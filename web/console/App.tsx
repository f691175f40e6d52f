import { useLocation } from "preact-iso"
import { Frame, type Section } from "../shared/ui/Frame.tsx"
import { Empty, Show } from "../shared/ui/States.tsx"
import { useHistory } from "./history.ts"
import type { Overview as OverviewAnswer } from "./shapes.ts"
import { ForgetTokenButton, TokenForm } from "./TokenForm.tsx"
import { token } from "./token.ts"
import { useOps } from "./useOps.ts"
import { Accounts } from "./views/Accounts.tsx"
import { Actors } from "./views/Actors.tsx"
import { Audit } from "./views/Audit.tsx"
import { Checks } from "./views/Checks.tsx"
import { Deliveries } from "./views/Deliveries.tsx"
import { Events } from "./views/Events.tsx"
import { Jobs } from "./views/Jobs.tsx"
import { Limits } from "./views/Limits.tsx"
import { Overview } from "./views/Overview.tsx"
import { Processes } from "./views/Processes.tsx"
import { Settings } from "./views/Settings.tsx"
import { Sources } from "./views/Sources.tsx"

const views = {
  sources: { label: "Sources", view: Sources },
  actors: { label: "Actors", view: Actors },
  jobs: { label: "Jobs", view: Jobs },
  events: { label: "Event log", view: Events },
  deliveries: { label: "Deliveries", view: Deliveries },
  processes: { label: "Processes", view: Processes },
  limits: { label: "Limits", view: Limits },
  settings: { label: "Settings", view: Settings },
  accounts: { label: "Accounts", view: Accounts },
  checks: { label: "Checks", view: Checks },
  audit: { label: "Audit", view: Audit },
} as const

const sections: ReadonlyArray<Section> = [
  { path: "/console", label: "Overview" },
  ...Object.entries(views).map(([name, { label }]) => ({ path: `/console/${name}`, label })),
]

const nameIn = (path: string): string => path.replace(/^\/console\/?/, "").replace(/\/$/, "")

/** The console of an admitted operator. */
const Admitted = ({ overview }: { readonly overview: OverviewAnswer }) => {
  const { path } = useLocation()
  const name = nameIn(path)
  useHistory()
  if (name === "") return <Overview overview={overview} />
  const found = views[name as keyof typeof views]
  if (found === undefined) return <Empty>There is no such part of the console.</Empty>
  const { label, view: View } = found
  return (
    <>
      <h1>{label}</h1>
      <View key={name} />
    </>
  )
}

const Console = () => {
  const loaded = useOps<OverviewAnswer>("/overview")
  const isRefused = loaded.failure?.isKeyRefused === true && loaded.failure !== undefined
  return (
    <Frame title="Console" sections={isRefused ? [] : sections} tools={<ForgetTokenButton />}>
      {isRefused && loaded.failure !== undefined ? (
        <TokenForm failure={loaded.failure} />
      ) : (
        <Show loaded={loaded}>{(overview) => <Admitted overview={overview} />}</Show>
      )}
    </Frame>
  )
}

/** Starts over with another token. */
export const App = () => <Console key={token.value} />
