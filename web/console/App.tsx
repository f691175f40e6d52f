import { Frame } from "../shared/ui/Frame.tsx"

export const App = () => (
  <Frame title="Console">
    <h1>Console</h1>
  </Frame>
)
