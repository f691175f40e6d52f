import { useEffect } from "preact/hooks"

/** Names the view in the tab and in the history of the browser. */
export const useTitle = (title: string) => {
  useEffect(() => {
    document.title = `${title} · Presage`
  }, [title])
}
