import { useState } from "preact/hooks";
import { Choice, TextField } from "../../parts/fields.tsx";
import { given, textOf } from "../../parts/form-text.ts";
import { Heading } from "../../parts/heading.tsx";
import { ProjectChoice } from "../../parts/project-choice.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { names } from "./reads.ts";

type Scope = "person" | "team" | "project";
type Auth = "token" | "oauth";

/** The form for a server. The service connects to it at once. */
export function NewServer() {
  const [scope, setScope] = useState<Scope>("person");
  const [project, setProject] = useState("");
  const [auth, setAuth] = useState<Auth>("token");
  const leadOn = useLeadOn();
  const making = useAction(async (form: FormData) => {
    const made = await workspace.request("POST", "/api/mcp/servers", {
      body: {
        name: textOf(form, "name"),
        url: textOf(form, "url"),
        scope,
        ...(scope === "project" && { project_id: project }),
        ...(auth === "oauth" ? { auth, ...clientIn(form) } : given(form, ["token"])),
      },
    });
    stale(names.servers);
    leadOn(`/mcp-servers/${made.id}`);
  });
  return (
    <>
      <Heading>Add MCP server</Heading>
      <form
        class="form narrow"
        onSubmit={(event) => {
          event.preventDefault();
          making.run(new FormData(event.currentTarget));
        }}
      >
        <TextField
          label="Name"
          name="name"
          required
          maxLength={32}
          pattern="[a-z0-9]([a-z0-9_\-]*[a-z0-9])?"
          placeholder="issue-tracker"
          hint="Lower-case letters, digits, - and _. The agent's tools begin with it."
        />
        <TextField label="Address" name="url" type="url" required placeholder="https://mcp.example.com/mcp" />
        <Choice
          label="Sign-in"
          value={auth}
          onChange={({ currentTarget }) => setAuth(currentTarget.value === "oauth" ? "oauth" : "token")}
        >
          <option value="token">With a token, or none</option>
          <option value="oauth">In the browser (OAuth)</option>
        </Choice>
        {auth === "oauth" && (
          <details>
            <summary>I have a client ID from its provider</summary>
            <TextField label="Client ID" name="client_id" maxLength={2000} />
            <TextField
              label="Client secret"
              name="client_secret"
              type="password"
              hint="Stored encrypted and never shown again. Leave it empty for a client without one."
            />
          </details>
        )}
        {auth === "token" && (
          <TextField
            label="Token"
            name="token"
            type="password"
            hint="Sent to this server alone, stored encrypted and never shown again. Leave it empty for a server without one."
          />
        )}
        <Choice
          label="For"
          value={scope}
          onChange={({ currentTarget }) => setScope(scopeOf(currentTarget.value))}
          hint={scope === "person" ? "" : "The agents of all these people use its token."}
        >
          <option value="person">Me, in all projects</option>
          <option value="team">Everybody in my team</option>
          <option value="project">Everybody in one project</option>
        </Choice>
        {scope === "project" && (
          <ProjectChoice id="project" label="Project" value={project} onChoose={setProject} />
        )}
        <button type="submit" class="primary" disabled={making.isBusy}>
          Add server
        </button>
        {making.error !== undefined && <Refused error={making.error} />}
      </form>
    </>
  );
}

/** A client id that the person entered; nothing for none. */
function clientIn(form: FormData) {
  const client_id = textOf(form, "client_id");
  return client_id === "" ? {} : { oauth: { client_id, ...given(form, ["client_secret"]) } };
}

function scopeOf(value: string): Scope {
  return value === "team" || value === "project" ? value : "person";
}
