import { Route, Switch } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { ActionButton } from "../../parts/action-button.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMe } from "../../service/reads.ts";
import { signOut } from "../../service/sign-out.ts";
import { AuthenticatorApp } from "./authenticator-app.tsx";
import { ConnectedApps } from "./connected-apps.tsx";
import { Credentials } from "./credentials.tsx";
import { Devices } from "./devices.tsx";
import { Limits } from "./limits.tsx";
import { Notices } from "./notices.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Preferences } from "./preferences.tsx";
import { ProfileForm } from "./profile-form.tsx";
import { Sessions } from "./sessions.tsx";

const TABS = [
  { path: "/account", name: "Profile" },
  { path: "/account/security", name: "Sign-in and security" },
  { path: "/account/sessions", name: "Sessions and apps" },
  { path: "/account/limits", name: "Limits" },
];

/** The person's own account. */
export function AccountPage() {
  return (
    <>
      <Heading actions={<ActionButton work={signOut}>Sign out</ActionButton>}>Account</Heading>
      <Tabs label="Account" tabs={TABS} />
      <Loaded of={useMe()}>
        {(me) => (
          <Switch>
            <Route path="/account">
              <ProfileForm />
              <Notices me={me} />
              <Preferences />
              <h2>Delete your account</h2>
              <p class="muted">
                To delete your account, ask an administrator of this installation and give them your account
                ID: <code>{me.id}</code>
              </p>
            </Route>
            <Route path="/account/security">
              <Credentials me={me} />
              <AuthenticatorApp />
              <Passkeys />
            </Route>
            <Route path="/account/sessions">
              <Sessions />
              <ConnectedApps />
              <Devices />
            </Route>
            <Route path="/account/limits">
              <Limits />
            </Route>
            <Route>
              <p class="muted">This page does not exist.</p>
            </Route>
          </Switch>
        )}
      </Loaded>
    </>
  );
}
