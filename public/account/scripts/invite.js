import { call, callSignedIn, element, goThereLater, onPress, show, tryTo, whoIsSignedIn } from "./api.js";

/** This page without a token in its address. */
const PAGE = "/invite/-";
/** Where the token waits while somebody signs in. */
const KEPT = "account.invitation";

const inAddress = location.pathname.replace(/\/+$/, "").split("/").at(-1);
if (inAddress !== "-") sessionStorage.setItem(KEPT, inAddress);
history.replaceState(null, "", PAGE);
// As it stood in the address, and so encoded already.
const address = `/api/teams/invitations/${sessionStorage.getItem(KEPT) ?? "-"}`;

function termsOf({ inviter_name, role, email }) {
  const article = /^[aeiou]/.test(role) ? "an" : "a";
  const terms = `${inviter_name ?? "Somebody"} invites you to be ${article} ${role} there.`;
  return email ? `${terms} The invitation is for ${email}.` : terms;
}

onPress("accept", async () => {
  await callSignedIn("POST", `${address}/accept`, {});
  sessionStorage.removeItem(KEPT);
  show("done-step", "ask-step");
});

onPress("other", () => {
  goThereLater(PAGE);
  location.assign("/login?switch");
});

await tryTo(async () => {
  const [invitation, user] = await Promise.all([call("GET", address), whoIsSignedIn()]);
  for (const id of ["team", "team-again", "team-joined"]) element(id).textContent = invitation.team_name;
  element("terms").textContent = termsOf(invitation);
  if (user) {
    element("who").textContent = `You are signed in as ${user.email}.`;
    show("ask-step", "wait-step");
  } else {
    goThereLater(PAGE);
    show("sign-in-step", "wait-step");
  }
});
