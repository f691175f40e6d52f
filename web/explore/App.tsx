import { Route, Router } from "preact-iso"
import { key } from "../shared/key.ts"
import { Frame } from "../shared/ui/Frame.tsx"
import { KeyForm, SignOutButton } from "../shared/ui/KeyForm.tsx"
import { Explain } from "./Explain.tsx"
import "./explore.css"
import { Game } from "./Game.tsx"
import { Leaderboards } from "./Leaderboards.tsx"
import { Live } from "./live/Live.tsx"
import { Market } from "./Market.tsx"
import { Markets } from "./Markets.tsx"
import { Sports } from "./Sports.tsx"
import { Wallet } from "./Wallet.tsx"
import { Wallets } from "./Wallets.tsx"

const sections = [
  { path: "/explore", label: "Markets" },
  { path: "/explore/wallets", label: "Wallets" },
  { path: "/explore/leaderboards", label: "Leaderboards" },
  { path: "/explore/sports", label: "Sports" },
  { path: "/explore/live", label: "Live" },
]

const NotFound = () => (
  <article>
    <h1>No such page</h1>
    <p>
      The explorer has nothing at this address. <a href="/explore">Search the markets</a> instead.
    </p>
  </article>
)

export const App = () => (
  <Frame title="Explorer" sections={sections} tools={<SignOutButton />}>
    {key.value === "" ? (
      <KeyForm why="Paste an API key to search markets and wallets, and to watch prices and fills arrive." />
    ) : (
      <Router>
        <Route path="/explore" component={Markets} />
        <Route path="/explore/markets" component={Markets} />
        <Route path="/explore/markets/:slug" component={Market} />
        <Route path="/explore/wallets" component={Wallets} />
        <Route path="/explore/wallets/:address" component={Wallet} />
        <Route path="/explore/wallets/:address/explain/:token" component={Explain} />
        <Route path="/explore/leaderboards" component={Leaderboards} />
        <Route path="/explore/sports" component={Sports} />
        <Route path="/explore/sports/:slug" component={Game} />
        <Route path="/explore/live" component={Live} />
        <Route default component={NotFound} />
      </Router>
    )}
  </Frame>
)
