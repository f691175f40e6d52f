import "./console.css"
import { mount } from "../shared/mount.tsx"
import { App } from "./App.tsx"

mount("/console", App)
