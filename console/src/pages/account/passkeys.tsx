import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { ActionForm } from "../../parts/action-form.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Badge } from "../../parts/badge.tsx";
import { TextField } from "../../parts/fields.tsx";
import { given, textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Used } from "../../parts/used.tsx";
import { createPasskey } from "../../service/create-passkey.ts";
import { hasPasskeys } from "../../service/has-passkeys.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { AuthenticatorCode } from "./authenticator-app.tsx";
import { CurrentPassword } from "./credentials.tsx";
import { accountKeys, useAuthenticator, usePasskeyOrigin, usePasskeys } from "./reads.ts";

/** Passkeys, each of which signs the person in without a password or a code. */
export function Passkeys() {
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <p class="muted">
        Sign in with your fingerprint, your face, or the PIN of a device or security key: without a password,
        and without a code.
      </p>
      <Loaded of={usePasskeys()}>
        {(passkeys) =>
          passkeys.length > 0 && (
            <ul class="list">
              {passkeys.map((passkey) => (
                <PasskeyLine key={passkey.id} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Loaded of={usePasskeyOrigin()}>
        {(origin) =>
          hasPasskeys(origin, "parseCreationOptionsFromJSON") ? <AddPasskey /> : <CannotAdd origin={origin} />
        }
      </Loaded>
    </section>
  );
}

function PasskeyLine({ passkey }: { passkey: api.Passkey }) {
  const { id, name } = passkey;
  const path = { passkey: id };
  return (
    <li>
      <span class="told">
        {name}{" "}
        <span class="muted small">
          <Used at={passkey.last_used_at} />
          {" · added "}
          <Moment at={passkey.created_at} />
        </span>
      </span>
      {passkey.is_backed_up && <Badge>Synced</Badge>}
      <AskFirst
        label={`Rename ${name}`}
        shown="Rename"
        title="Rename this passkey?"
        confirm="Rename"
        isHarmless
        work={async (form) => {
          const body = { name: textOf(form, "name") };
          await workspace.request("PATCH", "/api/users/me/passkeys/{passkey}", { path, body });
          stale(accountKeys.passkeys);
        }}
      >
        <TextField label="Name" name="name" defaultValue={name} required maxLength={100} />
      </AskFirst>
      <AskFirst
        label={`Remove ${name}`}
        shown="Remove"
        title={`Remove the passkey ${name}?`}
        confirm="Remove"
        work={async (form) => {
          const body = given(form, ["current_password", "code"]);
          await workspace.request("POST", "/api/users/me/passkeys/{passkey}/remove", { path, body });
          stale(accountKeys.passkeys);
        }}
      >
        <p>It no longer signs you in. Your device may still list it: delete it there, too.</p>
        <Proof />
      </AskFirst>
    </li>
  );
}

function AddPasskey() {
  const [refusal, setRefusal] = useState<string>();
  /** A form is kept while its passkey is refused, and emptied once it is added. */
  const [added, setAdded] = useState(0);
  return (
    <>
      <ActionForm
        key={added}
        submit="Add a passkey"
        isKept
        work={async (form) => {
          setRefusal(undefined);
          const proof = given(form, ["current_password", "code"]);
          const options = await workspace.request("POST", "/api/users/me/passkeys/options", { body: proof });
          const made = await createPasskey(options);
          if ("refusal" in made) {
            setRefusal(made.refusal);
            return;
          }
          const body = { name: textOf(form, "name"), credential: made.credential };
          await workspace.request("POST", "/api/users/me/passkeys", { body });
          setAdded(added + 1);
          stale(accountKeys.passkeys);
        }}
      >
        <TextField
          label="Name"
          name="name"
          required
          maxLength={100}
          hint="Helps you recognise it, such as the device it is on."
        />
        <Proof />
      </ActionForm>
      {refusal !== undefined && (
        <p class="notice bad" role="alert">
          {refusal}
        </p>
      )}
    </>
  );
}

function CannotAdd({ origin }: { origin: string | null }) {
  if (origin === null)
    return <p class="muted">Passkeys need a host name, and this installation has an IP address.</p>;
  if (origin !== location.origin) {
    return (
      <p class="muted">
        Passkeys work at <a href={`${origin}${location.pathname}`}>{origin}</a>.
      </p>
    );
  }
  return <p class="muted">This browser cannot make passkeys.</p>;
}

/** What the service asks for before it changes how the person signs in. */
function Proof() {
  return (
    <Loaded of={useAuthenticator()}>
      {({ is_on }) =>
        is_on ? (
          <AuthenticatorCode hint="From your authenticator app, or one of your recovery codes." />
        ) : (
          <CurrentPassword />
        )
      }
    </Loaded>
  );
}
