import "@picocss/pico/css/pico.min.css"
import "./theme.css"
import { type ComponentType, render } from "preact"
import { LocationProvider } from "preact-iso"
import { applyTheme } from "./theme.ts"

/** Starts the page at `path`. Its router leaves links to other pages to the browser. */
export const mount = (path: `/${string}`, App: ComponentType) => {
  applyTheme()
  const root = document.getElementById("app")
  if (root === null) return
  render(
    <LocationProvider scope={path}>
      <App />
    </LocationProvider>,
    root,
  )
}
