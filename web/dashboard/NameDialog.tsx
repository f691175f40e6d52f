import { Dialog } from "../shared/ui/Dialog.tsx"

export const NameDialog = ({
  title,
  action,
  value,
  onSave,
  onClose,
}: {
  readonly title: string
  readonly action: string
  readonly value: string
  readonly onSave: (name: string) => void
  readonly onClose: () => void
}) => (
  <Dialog title={title} onClose={onClose}>
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const name = new FormData(event.currentTarget).get("name")
        if (typeof name === "string") onSave(name.trim())
      }}
    >
      <label>
        Name
        <input name="name" required maxLength={100} defaultValue={value} autocomplete="off" />
      </label>
      <footer class="row">
        <button type="button" class="secondary" onClick={onClose}>
          Cancel
        </button>
        <button type="submit">{action}</button>
      </footer>
    </form>
  </Dialog>
)
