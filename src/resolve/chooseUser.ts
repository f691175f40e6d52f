import type { Profile } from "#src/domain/Catalogue.ts"

export type NamedProfile = Profile & { readonly name: string }

export const isNamed = (profile: Profile): profile is NamedProfile => profile.name !== null

/** The users with exactly this name, or else those whose name differs in case only. */
export const usersNamed = (name: string, found: ReadonlyArray<NamedProfile>): ReadonlyArray<NamedProfile> => {
  const byWallet = [...new Map(found.map((profile) => [profile.wallet, profile])).values()]
  const exact = byWallet.filter((profile) => profile.name === name)
  const lower = name.toLowerCase()
  return exact.length > 0 ? exact : byWallet.filter((profile) => profile.name.toLowerCase() === lower)
}
