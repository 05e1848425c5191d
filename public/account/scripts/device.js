import {
  callSignedIn,
  element,
  onPress,
  onSubmit,
  show,
  signInFor,
  tell,
  tryTo,
  whoIsSignedIn,
} from "./api.js";

const address = location.href;
// In the fragment, because the code is a secret: a fragment is sent to no server.
const given = new URLSearchParams(location.hash.slice(1)).get("code");
history.replaceState(null, "", location.pathname);

/** The code whose program the page shows. */
let userCode;

onSubmit("code-form", async ({ code }) => {
  try {
    await lookUp(code);
  } catch (error) {
    element("code").select();
    throw error;
  }
});

async function lookUp(code) {
  const asking = await callSignedIn("POST", "/api/auth/device/lookup", { user_code: code });
  userCode = code;
  element("client-name").textContent = asking.client_name;
  element("address").textContent = asking.ip_address;
  element("asked").textContent = new Date(asking.created_at).toLocaleString([], {
    dateStyle: "medium",
    timeStyle: "short",
  });
  element("shown-code").textContent = inGroups(code);
  // Focuses the first button, which denies.
  show("decide-step", "code-step", "wait-step");
}

/** A code as programs show it, however it was typed: `BCDF-GHJK`. */
function inGroups(code) {
  const letters = code.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");
  return letters.replace(/^(.{4})(?=.)/, "$1-");
}

for (const [decision, words] of [
  ["approve", "Approved. The program is signed in within a few seconds, and you can close this page."],
  ["deny", "Denied. The program is not signed in."],
]) {
  onPress(decision, async () => {
    try {
      await callSignedIn("POST", "/api/auth/device/decide", { user_code: userCode, decision });
    } catch (error) {
      // Decided elsewhere, or expired: there is nothing left to decide.
      if (error.status === 409 || error.status === 410) element("decide-step").hidden = true;
      throw error;
    }
    element("decide-step").hidden = true;
    tell(words);
  });
}

await tryTo(async () => {
  const user = await whoIsSignedIn();
  if (!user) return signInFor(address);
  element("who").textContent = user.email;
  show("code-step", "wait-step");
  if (!given) return;
  element("code").value = given;
  await lookUp(given);
});
