import type { ComponentChildren } from "preact"
import { CopyButton } from "../shared/ui/Copy.tsx"
import { Dialog } from "../shared/ui/Dialog.tsx"

/** A key or a signing secret, which is shown only this once. */
export const SecretDialog = ({
  title,
  secret,
  onClose,
  children,
}: {
  readonly title: string
  readonly secret: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => (
  <Dialog title={title} onClose={onClose}>
    <p>{children}</p>
    <div class="secret">
      <code>{secret}</code>
      <CopyButton text={secret} />
    </div>
  </Dialog>
)
