import { address, exchanges, modules, oracleAdapters, venueContracts } from "./contracts.ts"
import { canDecode } from "./decode.ts"
import { topic } from "./topics.ts"

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
}

const withPrefix = (digits: Iterable<string>) => new Set([...digits].map((each) => `0x${each}`))

const contracts: ReadonlySet<string> = withPrefix(venueContracts)

/** Logs that change no balance, or repeat what another log says. */
const known: ReadonlyArray<{ readonly contracts: ReadonlySet<string>; readonly topics: ReadonlySet<string> }> = [
  // Wrapped collateral only moves between the venue's own contracts.
  { contracts: withPrefix([address.wrappedCollateral]), topics: new Set([topic.transfer, topic.approval]) },
  // The router repeats the logs of the modules and names the caller.
  {
    contracts: withPrefix([address.router]),
    topics: new Set([
      "0x04373eecd7397b9318ae470769098aaab46f432620d95b0d84fc2297a415704c",
      "0x8eb905ea8eb4589289705df45fe31e6d4a35385a223b60c259691cc86dbfb982",
      "0x81b466b1b365aea7f5664f9a2d8b3a8591d3244acffb5134355ad4da7fe2366a",
      "0xd470f36e1347dd1dbb72529813b06678ff587a767ea8eae6bc3906b24e6a08ab",
      "0x69e13930513c83de572f0fdb24c4d1c3f8f8f77b841d792e0b89d81588581716",
      "0x87e385df53b4ec94408ffc0ae0728448abc68c13f48490c9e614af5262600282",
    ]),
  },
  // Preparation of neg-risk events, and results and collateral of the older contracts that a module takes over.
  {
    contracts: withPrefix(modules),
    topics: new Set([
      "0x9bdf886b29ff2e03765aa003845c79f3700b39f9628db119aeeaac5d0fd73306",
      "0xf87100968b0fe70751acf87590ffac515231c5b999cba36e6820c7d312dcc8af",
      "0x7a07cc3efaf017520e4ad55e66052f0398632c810a3fab73e58e4c7050746825",
    ]),
  },
  // Orders that are cancelled or preapproved, and the receiver of fees.
  {
    contracts: withPrefix(exchanges),
    topics: new Set([
      "0x5152abf959f6564662358c2e52b702259b78bac5ee7842a0f01937e670efcc7d",
      "0xe92c22722d9c284034b6c9f5aaec018edb3e593c0e084900b6b9d390a1182a0b",
      "0x27aae5db36d94179909d019ae0b1ac7c16d96d953148f63c0f6a0a9c8ead79ee",
    ]),
  },
  // Questions that are asked, reset, updated or resolved by hand.
  {
    contracts: withPrefix(oracleAdapters),
    topics: new Set([
      "0xeee0897acd6893adcaf2ba5158191b3601098ab6bece35c5d57874340b64c5b7",
      "0x7981b5832932948db4e32a4a16a0f44b2ce7ff088574afb9364b313f70f82e8f",
      "0x0059e11815211969c0c4aaf3f498b52b6c2f2d14f286275d0862d70de22a836b",
      "0x5909815fe7fe0a550d5fcb95fbf33821b580521d3c97089c6ce12808d1cd0566",
    ]),
  },
  // Steps of the operator before the adapter prepares or resolves a question.
  {
    contracts: withPrefix([address.negRiskOperator, address.negRiskOperatorEarlier]),
    topics: new Set([
      "0x8138c0666fe0f752ff38486f542284f127aef02642c9c8db716ee1088839eeb0",
      "0xcdc45423ec79c60a3fe3de57272e598d71a4ec88822e822ac8e134184a8435aa",
      "0x504306b41b2531b3fd2bc5e1b32dc1fc87501906cfc63c1180e3873af20f0eae",
      "0x5c3937ed929cd157b73b417381d743daf6e1ef65999e3ccb5dd64bc3247e28d6",
    ]),
  },
]

const namesOf = ({ address: contract, topics }: Log) =>
  [contract.toLowerCase(), topics[0]?.toLowerCase() ?? ""] as const

/** Whether a log needs no explanation: it is not the venue's, or it is known to change nothing. */
export const isMachinery = (log: Log): boolean => {
  const [contract, first] = namesOf(log)
  return !contracts.has(contract) || known.some((each) => each.contracts.has(contract) && each.topics.has(first))
}

/** Whether the events of this kind are known. */
export const isKnown = (log: Log): boolean => canDecode(...namesOf(log)) || isMachinery(log)
