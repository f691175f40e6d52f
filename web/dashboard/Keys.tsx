import { useState } from "preact/hooks"
import { whole } from "../shared/format.ts"
import { key as tabKey } from "../shared/key.ts"
import { request } from "../shared/request.ts"
import { RequestLine } from "../shared/ui/Copy.tsx"
import { Confirm } from "../shared/ui/Dialog.tsx"
import { FailureNotice, Show } from "../shared/ui/States.tsx"
import { Table } from "../shared/ui/Table.tsx"
import { Time } from "../shared/ui/Time.tsx"
import { useAction } from "../shared/useAction.ts"
import { useRequest } from "../shared/useRequest.ts"
import { NameDialog } from "./NameDialog.tsx"
import { Page, Panel } from "./Page.tsx"
import { SecretDialog } from "./Secret.tsx"

interface Key {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly created_at: string
  readonly revoked_at: string | null
  readonly last_used_at: string | null
  readonly is_this: boolean
}

interface KeyList {
  readonly keys: ReadonlyArray<Key>
  readonly plan: string
  readonly keys_allowed: number
}

interface Issued {
  readonly api_key: string
  readonly name: string
}

type Open = { readonly kind: "create" } | { readonly kind: "rename" | "rotate" | "revoke"; readonly of: Key }

const CreatedOrRevoked = ({ row }: { readonly row: Key }) =>
  row.revoked_at === null ? (
    <Time at={row.created_at} style="day" />
  ) : (
    <span class="muted">
      revoked <Time at={row.revoked_at} style="day" />
    </span>
  )

export const Keys = () => {
  const loaded = useRequest<KeyList>("/v1/keys", { everyMillis: 15_000 })
  const [open, setOpen] = useState<Open>()
  const [issued, setIssued] = useState<Issued>()
  const { failure, run } = useAction()
  const act = (action: () => Promise<void>) => {
    setOpen(undefined)
    void run(async () => {
      await action()
      loaded.reload()
    })
  }
  const create = (name: string) =>
    act(async () => setIssued(await request<Issued>("/v1/keys", { method: "POST", body: { name } })))
  const rename = (of: Key, name: string) =>
    act(async () => void (await request(`/v1/keys/${of.id}`, { method: "PUT", body: { name } })))
  const rotate = (of: Key) =>
    act(async () => {
      const made = await request<Issued>(`/v1/keys/${of.id}/rotate`, { method: "POST" })
      setIssued(made)
      if (of.is_this) tabKey.value = made.api_key
    })
  const revoke = (of: Key) =>
    act(async () => {
      await request(`/v1/keys/${of.id}`, { method: "DELETE" })
      if (of.is_this) tabKey.value = ""
    })
  const button = (label: string, of: Key, kind: "rename" | "rotate" | "revoke") => (
    <button
      type="button"
      class="small outline"
      aria-label={`${label} ${of.name}`}
      onClick={() => setOpen({ kind, of })}
    >
      {label}
    </button>
  )
  return (
    <Page
      title="Keys"
      actions={
        <button type="button" class="small" onClick={() => setOpen({ kind: "create" })}>
          Create a key
        </button>
      }
    >
      {failure !== undefined && <FailureNotice failure={failure} />}
      <Show loaded={loaded}>
        {({ keys, keys_allowed }) => (
          <Panel
            title="Keys of the account"
            tools={
              <span class="small muted">
                {whole(keys.filter((each) => each.revoked_at === null).length)} of {whole(keys_allowed)} in use
              </span>
            }
          >
            <Table
              label="Keys"
              rows={keys}
              rowKey={(row) => row.id}
              columns={[
                {
                  label: "Name",
                  cell: (row) => (
                    <>
                      {row.name} {row.is_this && <span class="tag">this tab</span>}
                    </>
                  ),
                },
                { label: "Key", cell: (row) => <code>{row.key}</code> },
                { label: "Created", cell: (row) => <CreatedOrRevoked row={row} /> },
                {
                  label: "Last used",
                  cell: (row) => (row.last_used_at === null ? "never" : <Time at={row.last_used_at} />),
                },
                {
                  label: "Actions",
                  cell: (row) =>
                    row.revoked_at === null && (
                      <span class="actions">
                        {button("Rename", row, "rename")}
                        {button("Rotate", row, "rotate")}
                        {button("Revoke", row, "revoke")}
                      </span>
                    ),
                },
              ]}
            />
          </Panel>
        )}
      </Show>
      <RequestLine path="/v1/keys" />
      {open?.kind === "create" && (
        <NameDialog title="Create a key" action="Create" value="" onSave={create} onClose={() => setOpen(undefined)} />
      )}
      {open?.kind === "rename" && (
        <NameDialog
          title="Rename the key"
          action="Save"
          value={open.of.name}
          onSave={(name) => rename(open.of, name)}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open?.kind === "rotate" && (
        <Confirm
          title={`Rotate ${open.of.name}`}
          action="Rotate"
          onConfirm={() => rotate(open.of)}
          onClose={() => setOpen(undefined)}
        >
          <p>A new key of the same name is created, and this one is refused at once.</p>
        </Confirm>
      )}
      {open?.kind === "revoke" && (
        <Confirm
          title={`Revoke ${open.of.name}`}
          action="Revoke"
          onConfirm={() => revoke(open.of)}
          onClose={() => setOpen(undefined)}
        >
          <p>
            Requests and streams with this key are refused at once, for good.
            {open.of.is_this && " This tab uses it and will be signed out."}
          </p>
        </Confirm>
      )}
      {issued !== undefined && (
        <SecretDialog title={`Key ${issued.name}`} secret={issued.api_key} onClose={() => setIssued(undefined)}>
          Copy the key now: it is shown only this once.
        </SecretDialog>
      )}
    </Page>
  )
}
