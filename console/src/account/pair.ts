import type { Body } from "@agent-workspace/client";
import { keepPathAlone, signInFor } from "./address.ts";
import { lineOf } from "./line.ts";
import { element, onPress, onSubmit, show, tell, tryTo } from "./page.ts";
import { whoIsSignedIn, workspace } from "./service.ts";

type Pairing = Body<"POST /api/gateway/pair/preview">;

const choice = element("platform", HTMLSelectElement);
const codeField = element("code", HTMLInputElement);
const form = element("form", HTMLFormElement);
/** The page offers only what the service has. */
const isOffered = (platform: string): platform is Pairing["platform"] =>
  Array.from(choice.options).some(({ value }) => value === platform);
const nameOf = (platform: string) =>
  Array.from(choice.options).find(({ value }) => value === platform)?.text ?? platform;
const senderOf = (sender: { platform: string; platform_user_id: string; platform_username: string | null }) =>
  `${nameOf(sender.platform)}: ${sender.platform_username || sender.platform_user_id}`;

const address = location.href;
const given = new URLSearchParams(location.search).get("platform") ?? "";
keepPathAlone();

/** The code that is being looked at. A code is never taken from an address: one click would link whoever sent it. */
let entered: Pairing | undefined;

onSubmit("form", async (field) => {
  const platform = field("platform");
  if (!isOffered(platform)) return;
  const body = { platform, pairing_code: field("code") };
  try {
    const { platform_user_id, channel, ...sender } = await workspace.request(
      "POST",
      "/api/gateway/pair/preview",
      { body },
    );
    entered = body;
    element("sender").textContent = senderOf({ platform_user_id, ...sender });
    element("sender-id").textContent = platform_user_id;
    element("bot").textContent = channel.description;
    element("bot-name").textContent = channel.name;
    show("review-step", "ask-step");
  } catch (error) {
    codeField.select();
    throw error;
  }
});

onPress("link", async () => {
  if (!entered) return;
  await workspace.request("POST", "/api/gateway/pair/verify", { body: entered });
  form.reset();
  choice.value = entered.platform;
  await listIdentities();
  show("ask-step", "review-step");
  tell(`Your ${nameOf(entered.platform)} account is linked. Write to the bot again: it replies to you now.`);
});

onPress("back", () => {
  form.reset();
  show("ask-step", "review-step");
  tell("Nothing was linked.");
});

async function listIdentities(): Promise<void> {
  const identities = await workspace.request("GET", "/api/gateway/identities");
  element("none").hidden = identities.length > 0;
  element("identities").replaceChildren(
    ...identities.map((identity) =>
      lineOf({
        name: senderOf(identity),
        facts: [
          identity.platform_user_id,
          identity.paired_at && `linked on ${new Date(identity.paired_at).toLocaleDateString()}`,
          identity.channel.description,
        ],
        action: "Unlink",
        run: async () => {
          await workspace.request("DELETE", "/api/gateway/identities/{identity}", {
            path: { identity: identity.id },
          });
          await listIdentities();
          tell(
            `Your ${nameOf(identity.platform)} account is no longer linked with “${identity.channel.name}”.`,
          );
        },
      }),
    ),
  );
}

await tryTo(async () => {
  const user = await whoIsSignedIn();
  if (!user) return signInFor(address);
  element("who").textContent = user.email;
  await listIdentities();
  element("linked").hidden = false;
  show("ask-step", "wait-step");
  if (!isOffered(given)) return choice.focus();
  choice.value = given;
  codeField.focus();
});
