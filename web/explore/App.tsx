import { Frame } from "../shared/ui/Frame.tsx"

export const App = () => (
  <Frame title="Explorer">
    <h1>Explorer</h1>
  </Frame>
)
