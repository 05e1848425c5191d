/**
 * The test files that may start a service of their own, by the reason why the shared ones (test/support/shared-service.ts) do
 * not do. A start takes two to four seconds of a core, so every other file shares.
 */
export const OWN_SERVICES = {
  "It is killed, cut off or silenced": ["crash/**", "journeys/queue-faults", "surface/outage"],
  "What all share is looked at: the first account, an administrator's lists, faults": ["journeys/readme"],
  "A server of the test stands for a provider, a platform or a mail server": [
    "attacks/closed-prompts",
    "attacks/hidden-accounts",
    "attacks/outbound",
    "attacks/planted-cookies",
    "journeys/channels-at-platforms",
    "journeys/git-providers",
    "journeys/mail",
    "journeys/model-proxy",
    "journeys/models",
    "journeys/oauth",
    "journeys/own-keys-at-work",
    "surface/bad-input",
  ],
  "Its variables are what is tested": [
    "attacks/commands",
    "attacks/device-sign-in",
    "attacks/production",
    "journeys/agents-at-once",
    "journeys/limits",
    "journeys/payment-events",
  ],
};

const pattern = (name) => (name.endsWith("/**") ? `${name.slice(0, -2)}` : `${name}[.]test[.]ts$`);

/** Matches the paths of the files above. */
export const MAY_START_SERVICES = Object.values(OWN_SERVICES)
  .flat()
  .map((name) => `^test/${pattern(name)}`);

/** The modules that start services. */
export const STARTS_SERVICES = "^test/support/(service|process|production-service|start-on-copy)[.]ts$";
