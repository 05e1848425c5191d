import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { ActionForm } from "../../parts/action-form.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { LinesField, TextField } from "../../parts/fields.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { stale } from "../../service/reads.ts";
import { useTeam } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { ModelChoice } from "./model-choice.tsx";
import { Publication } from "./publication.tsx";
import { agentKeys, useAgent } from "./reads.ts";
import { ToolsField, toolsOf } from "./tools-field.tsx";

/** Makes an agent of the team. */
export function NewAgent() {
  const leadOn = useLeadOn();
  const team = useTeam();
  return (
    <>
      <Heading>New agent</Heading>
      {team?.role === "viewer" ? (
        <p class="notice">You are a viewer of this team. Its editors and administrators can create agents.</p>
      ) : (
        <ActionForm
          submit="Create agent"
          work={async (form) => {
            const made = await workspace.agents.create(fieldsOf(form));
            stale(agentKeys.all);
            leadOn(`/agents/${made.id}`);
          }}
        >
          <AgentFields />
        </ActionForm>
      )}
    </>
  );
}

/** One agent. The team's own are changed here; of the others the person chooses the model. */
export function AgentPage({ agent }: { agent: string }) {
  return (
    <Loaded title="Agent" of={useAgent(agent)}>
      {(found) => <Found agent={found} />}
    </Loaded>
  );
}

function Found({ agent }: { agent: api.Agent }) {
  const team = useTeam();
  const leadOn = useLeadOn();
  const isOwn = agent.team_id !== null && agent.team_id === team?.id;
  const mayManage = isOwn && team?.role !== "viewer";
  return (
    <>
      <p>
        <Link href="/agents">Agents</Link>
      </p>
      <Heading>{agent.name}</Heading>
      {mayManage ? (
        <>
          <ActionForm
            submit="Save"
            done="Saved. Applies from the next message."
            isKept
            work={async (form) => {
              await workspace.agents.update(agent.id, fieldsOf(form));
              stale(agentKeys.all);
            }}
          >
            <AgentFields agent={agent} />
          </ActionForm>
          <Publication agent={agent.id} />
          <AskFirst
            label="Delete agent…"
            title={`Delete ${agent.name}?`}
            confirm="Delete"
            work={async () => {
              await workspace.agents.delete(agent.id);
              stale(agentKeys.all);
              leadOn("/agents");
            }}
          >
            <p>Chats and keys that use it continue with the default agent.</p>
          </AskFirst>
        </>
      ) : (
        <Shown agent={agent} isOwn={isOwn} />
      )}
    </>
  );
}

function Shown({ agent, isOwn }: { agent: api.Agent; isOwn: boolean }) {
  return (
    <>
      {agent.description !== "" && <p class="wrapping">{agent.description}</p>}
      <dl class="facts">
        <dt>From</dt>
        <dd>{agent.is_builtin ? "Built in" : isOwn ? "Your team" : "The marketplace"}</dd>
        <dt>Model</dt>
        <dd>{agent.model ?? "Default model"}</dd>
        <dt>Tools</dt>
        <dd>{agent.tools === null ? "All tools" : agent.tools.join(", ")}</dd>
      </dl>
      {agent.system_prompt === null ? (
        <p class="muted">The author does not publish its prompt.</p>
      ) : (
        agent.system_prompt !== "" && (
          <pre class="wrapped" tabIndex={0}>
            {agent.system_prompt}
          </pre>
        )
      )}
      {!isOwn && agent.system_prompt !== null && (
        <ActionForm
          submit="Use this model"
          done="Saved, for you only"
          isKept
          work={async (form) => {
            const path = { agent: agent.id };
            const body = { model: textOf(form, "model") || null };
            await workspace.request("POST", "/api/marketplace/agents/{agent}/select-model", { path, body });
            stale(agentKeys.all);
          }}
        >
          <ModelChoice label="Model (for you only)" chosen={agent.selected_model} />
        </ActionForm>
      )}
    </>
  );
}

function AgentFields({ agent }: { agent?: api.Agent }) {
  return (
    <>
      <TextField label="Name" name="name" required maxLength={100} defaultValue={agent?.name ?? ""} />
      <TextField
        label="Description"
        name="description"
        maxLength={2000}
        defaultValue={agent?.description ?? ""}
      />
      <LinesField
        label="Prompt"
        name="system_prompt"
        rows={8}
        maxLength={50_000}
        defaultValue={agent?.system_prompt ?? ""}
        hint="Added after the built-in instructions."
      />
      <ModelChoice label="Model" chosen={agent?.model ?? null} />
      <ToolsField chosen={agent?.tools ?? null} />
    </>
  );
}

function fieldsOf(form: FormData) {
  return {
    name: textOf(form, "name"),
    description: textOf(form, "description"),
    system_prompt: textOf(form, "system_prompt"),
    model: textOf(form, "model") || null,
    tools: toolsOf(form),
  };
}
