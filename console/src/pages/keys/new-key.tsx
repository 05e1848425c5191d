import type { api } from "@agent-workspace/client";
import { CopyButton } from "../../parts/copy-button.tsx";

/** A key that was just made, shown this once, with a command that uses it. */
export function NewKey({ apiKey, project }: { apiKey: api.ApiKey; project: string | undefined }) {
  const { key, webhook_secret } = apiKey;
  if (key === null) return null;
  const body = JSON.stringify({ project_id: project ?? "ID OF A PROJECT", message: "Say hello" });
  const command = [
    `curl -X POST ${location.origin}/api/external/agent/invoke`,
    `  -H "Authorization: Bearer ${key}"`,
    '  -H "Content-Type: application/json"',
    `  -d '${body}'`,
  ].join(" \\\n");
  return (
    <section class="notice" aria-label="The new key">
      <Shown says="Your new key. Copy it now: it is shown only once." text={key} label="Copy key" />
      {mayInvoke(apiKey) && <Shown says="Start an agent with it:" text={command} label="Copy command" />}
      {webhook_secret !== null && (
        <Shown
          says="Callbacks are signed with this secret. Copy it now: it is shown only once."
          text={webhook_secret}
          label="Copy secret"
        />
      )}
    </section>
  );
}

/** The new secret of a key's callbacks, shown this once. */
export function NewSecret({ name, secret }: { name: string; secret: string }) {
  return (
    <section class="notice" aria-label={`The new callback secret of ${name}`}>
      <Shown
        says="Your new callback secret. Copy it now: it is shown only once. The previous one also works for 24 hours."
        text={secret}
        label="Copy secret"
      />
    </section>
  );
}

function mayInvoke({ scopes }: api.ApiKey): boolean {
  return scopes === null || scopes.includes("chat.send");
}

function Shown({ says, text, label }: { says: string; text: string; label: string }) {
  return (
    <>
      <p>{says}</p>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <div class="row">
        <CopyButton text={text} label={label} />
      </div>
    </>
  );
}
