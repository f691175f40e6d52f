import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

/** A modal dialog. Escape and the close button call `onClose`. */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
    return () => element.current?.close()
  }, [])
  return (
    <dialog ref={element} onClose={onClose} aria-label={title}>
      <article>
        <header class="spread">
          <strong>{title}</strong>
          <button type="button" class="small outline secondary" aria-label="Close" onClick={onClose}>
            Close
          </button>
        </header>
        {children}
      </article>
    </dialog>
  )
}

/** Asks before something that cannot be undone. */
export const Confirm = ({
  title,
  children,
  action,
  onConfirm,
  onClose,
}: {
  readonly title: string
  readonly children: ComponentChildren
  readonly action: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}) => (
  <Dialog title={title} onClose={onClose}>
    {children}
    <footer class="row">
      <button type="button" class="secondary" onClick={onClose}>
        Cancel
      </button>
      <button type="button" onClick={onConfirm}>
        {action}
      </button>
    </footer>
  </Dialog>
)
