import { Frame } from "../shared/ui/Frame.tsx"

export const App = () => (
  <Frame title="Dashboard">
    <h1>Dashboard</h1>
  </Frame>
)
