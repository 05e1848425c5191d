import { WorkspaceError } from "@agent-workspace/client";
import { keepPathAlone, signInFor } from "./address.ts";
import { momentOf } from "./line.ts";
import { element, onPress, onSubmit, show, tell, tryTo } from "./page.ts";
import { whoIsSignedIn, workspace } from "./service.ts";

const codeField = element("code", HTMLInputElement);

const address = location.href;
// In the fragment, because the code is a secret: a fragment is sent to no server.
const given = new URLSearchParams(location.hash.slice(1)).get("code");
keepPathAlone();

/** The code whose program the page shows. */
let userCode = "";

onSubmit("code-form", async (field) => {
  try {
    await lookUp(field("code"));
  } catch (error) {
    codeField.select();
    throw error;
  }
});

async function lookUp(code: string): Promise<void> {
  const asking = await workspace.request("POST", "/api/auth/device/lookup", { body: { user_code: code } });
  userCode = code;
  element("client-name").textContent = asking.client_name;
  element("address").textContent = asking.ip_address;
  element("asked").textContent = momentOf(asking.created_at);
  element("shown-code").textContent = inGroups(code);
  // Focuses the first button, which denies.
  show("decide-step", "code-step", "wait-step");
}

/** A code as programs show it, however it was typed: `BCDF-GHJK`. */
function inGroups(code: string): string {
  const letters = code.toUpperCase().replaceAll(/[^A-Z0-9]/gu, "");
  return letters.replace(/^(.{4})(?=.)/u, "$1-");
}

async function decide(decision: "approve" | "deny", words: string): Promise<void> {
  try {
    const body = { user_code: userCode, decision };
    await workspace.request("POST", "/api/auth/device/decide", { body });
  } catch (error) {
    // Decided elsewhere, or expired: there is nothing left to decide.
    const isOver = error instanceof WorkspaceError && (error.status === 409 || error.status === 410);
    if (isOver) element("decide-step").hidden = true;
    throw error;
  }
  element("decide-step").hidden = true;
  tell(words);
}

onPress("approve", () =>
  decide("approve", "Approved. The program is signed in within a few seconds, and you can close this page."),
);
onPress("deny", () => decide("deny", "Denied. The program is not signed in."));

await tryTo(async () => {
  const user = await whoIsSignedIn();
  if (!user) return signInFor(address);
  element("who").textContent = user.email;
  show("code-step", "wait-step");
  if (!given) return;
  codeField.value = given;
  await lookUp(given);
});
