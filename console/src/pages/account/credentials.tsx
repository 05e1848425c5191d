import type { api } from "@agent-workspace/client";
import { ActionButton } from "../../parts/action-button.tsx";
import { ActionForm } from "../../parts/action-form.tsx";
import { TextField } from "../../parts/fields.tsx";
import { given } from "../../parts/form-text.ts";
import { keys, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

const OLDER = "Only needed if you signed in more than ten minutes ago.";

/** How the person signs in: an address and a password. */
export function Credentials({ me }: { me: api.User }) {
  return (
    <div class="two">
      <section aria-labelledby="email">
        <h2 id="email">Email address</h2>
        <p>
          {me.email} {me.is_verified ? "(confirmed)" : "(not confirmed)"}
        </p>
        {!me.is_verified && (
          <ActionButton
            work={() =>
              workspace.request("POST", "/api/auth/request-verify-token", { body: { email: me.email } })
            }
          >
            Resend the confirmation email
          </ActionButton>
        )}
        <ActionForm
          submit="Change address"
          done="Changed"
          work={async (form) => {
            await workspace.account.update(given(form, ["email", "current_password"]));
            stale(keys.me);
          }}
        >
          <TextField label="New address" name="email" type="email" required maxLength={320} />
          <CurrentPassword />
        </ActionForm>
      </section>
      <section aria-labelledby="password">
        <h2 id="password">Password</h2>
        <ActionForm
          submit="Change password"
          work={async (form) => {
            await workspace.account.update(given(form, ["password", "current_password"]));
            location.replace("/login");
          }}
        >
          <TextField
            label="New password"
            name="password"
            type="password"
            autocomplete="new-password"
            required
            maxLength={1000}
          />
          <CurrentPassword />
        </ActionForm>
        <p class="muted">
          Changing the password signs you out everywhere, including here, and disconnects connected apps.
          Forgot the current one? <a href="/forgot-password">Reset it by email</a>.
        </p>
      </section>
    </div>
  );
}

export function CurrentPassword() {
  return (
    <TextField
      label="Current password"
      name="current_password"
      type="password"
      autocomplete="current-password"
      maxLength={1000}
      hint={OLDER}
    />
  );
}
