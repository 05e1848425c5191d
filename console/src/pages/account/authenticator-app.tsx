import { useState } from "preact/hooks";
import { ActionForm } from "../../parts/action-form.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopiedText } from "../../parts/copied-text.tsx";
import { TextField } from "../../parts/fields.tsx";
import { given, textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { plural } from "../../parts/numbers.ts";
import { QrCode } from "../../parts/qr-code.tsx";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { CurrentPassword } from "./credentials.tsx";
import { accountKeys, useAuthenticator } from "./reads.ts";

/** An app that shows a code for each sign-in, and the recovery codes in place of it. */
export function AuthenticatorApp() {
  /** Shown once, when they are made. */
  const [codes, setCodes] = useState<readonly string[]>([]);
  const show = (made: readonly string[]) => {
    setCodes(made);
    stale(accountKeys.authenticator);
  };
  return (
    <section aria-labelledby="authenticator">
      <h2 id="authenticator">Authenticator app</h2>
      {codes.length > 0 && <RecoveryCodes codes={codes} />}
      <Loaded of={useAuthenticator()}>
        {({ is_on, since, recovery_codes_left }) =>
          is_on && since !== null ? (
            <>
              <p>
                On since <Moment at={since} />. Signing in with your password also takes a code from the app.{" "}
                {plural(recovery_codes_left, "recovery code")} left.
              </p>
              <Change onCodes={show} />
            </>
          ) : (
            <SetUp onCodes={show} />
          )
        }
      </Loaded>
    </section>
  );
}

function Change({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  return (
    <div class="row">
      <AskFirst
        label="New recovery codes"
        title="Make new recovery codes?"
        confirm="Make new codes"
        isHarmless
        work={async (form) => {
          const body = { code: textOf(form, "code") };
          const made = await workspace.request("POST", "/api/users/me/authenticator/recovery-codes", {
            body,
          });
          onCodes(made.recovery_codes);
        }}
      >
        <p>The recovery codes you have stop working.</p>
        <AuthenticatorCode hint={EITHER} />
      </AskFirst>
      <AskFirst
        label="Turn off"
        title="Turn the authenticator app off?"
        confirm="Turn off"
        work={async (form) => {
          const body = { code: textOf(form, "code") };
          await workspace.request("POST", "/api/users/me/authenticator/turn-off", { body });
          onCodes([]);
        }}
      >
        <p>
          Signing in then takes your password alone, or a code by email where this installation asks for one.
        </p>
        <AuthenticatorCode hint={EITHER} />
      </AskFirst>
    </div>
  );
}

const EITHER = "From the app, or one of your recovery codes.";

function SetUp({ onCodes }: { onCodes: (codes: readonly string[]) => void }) {
  const [app, setApp] = useState<{ secret: string; uri: string }>();
  if (app === undefined) {
    return (
      <>
        <p class="muted">
          A second step when you sign in with your password: a code from an app such as 1Password, Google
          Authenticator or Aegis.
        </p>
        <ActionForm
          submit="Set up"
          work={async (form) =>
            setApp(
              await workspace.request("POST", "/api/users/me/authenticator", {
                body: given(form, ["current_password"]),
              }),
            )
          }
        >
          <CurrentPassword />
        </ActionForm>
      </>
    );
  }
  return (
    <>
      <p>Scan this with your app, or enter the key by hand.</p>
      <QrCode text={app.uri} label="QR code for an authenticator app" />
      <CopiedText text={app.secret} name="key" />
      <ActionForm
        submit="Turn on"
        work={async (form) => {
          const body = { code: textOf(form, "code") };
          const made = await workspace.request("POST", "/api/users/me/authenticator/confirm", { body });
          setApp(undefined);
          onCodes(made.recovery_codes);
        }}
      >
        <AuthenticatorCode hint="The six digits that the app shows." />
      </ActionForm>
    </>
  );
}

export function AuthenticatorCode({ hint }: { hint: string }) {
  return (
    <TextField
      label="Code"
      name="code"
      autocomplete="one-time-code"
      spellcheck={false}
      required
      maxLength={100}
      hint={hint}
    />
  );
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <section class="notice" aria-label="Your recovery codes">
      <p>
        Your recovery codes. Each signs you in once if you lose the app. Keep them where you keep passwords:
        they are shown only now.
      </p>
      <CodeBlock text={codes.join("\n")} label="Copy codes" />
    </section>
  );
}
