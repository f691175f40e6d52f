import { Frame } from "../shared/ui/Frame.tsx"

export const App = () => (
  <Frame title="Documentation">
    <h1>Documentation</h1>
  </Frame>
)
