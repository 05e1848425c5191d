import { storeCompaction, taskEvents } from "#src/domain/agent-work/tasks/index.ts";
import type { PrepaidModel } from "#src/domain/models/prepaid-models/index.ts";
import type { KeptPart } from "#src/models/kept-part.ts";
import { windowBeside } from "#src/models/model-facts.ts";
import type { ModelUsage, ToolDefinition } from "#src/models/model.ts";
import { chatSummary } from "../context/chat-summary.ts";
import type { Compaction } from "../context/compaction.ts";
import { requireSight } from "../context/pictures.ts";
import { ConversationWindow } from "../context/within-window.ts";
import { isToolOf } from "../turns/gate.ts";
import { sealPart } from "../turns/kept-parts.ts";
import type { TurnContext } from "../turns/turn-context.ts";
import type { TurnRecords } from "../turns/turn-records.ts";
import { leaveStep } from "./leave-step.ts";
import type { Prepared } from "./prepare-turns.ts";
import type { Step } from "./step.ts";

/** What the next turn of a step works with. Throws `ModelError` for a message with pictures that the model cannot see. */
export async function turnOfStep(
  step: Step,
  prepared: Prepared,
  { model, records }: { model: PrepaidModel; records: TurnRecords },
): Promise<TurnContext> {
  const { deps, task: claimed, signal } = step;
  const { task, project } = claimed;
  const { services, system, message } = prepared;
  const tools = [...prepared.tools, ...foundTools(step)];
  const { iteration } = records;
  const seesPictures = requireSight(model.name, message);
  const effort = deps.config.DEFAULT_THINKING_EFFORT;
  const conversation = {
    history: step.history,
    chatSummary: claimed.chat.summary,
    message,
    turns: await step.pictures.beside(step.progress.turns, { seen: seesPictures }),
  };
  const window = new ConversationWindow({
    model,
    conversation,
    system,
    tools,
    compaction: step.compaction,
    window: windowBeside(model.name, effort),
    signal,
    onCompacted: (compaction, usage) => keep(step, { compaction, usage, model, iteration }),
    onSummaryFailed: (cause) =>
      deps.log.warn("a summary failed", { task_id: task.id, code: cause.code, cause }),
  });
  const seal = (part: KeptPart) => sealPart(deps.secrets, part);
  return {
    iteration,
    request: { model, system, definitions: tools, effort, window, seal },
    calls: {
      tools: {
        ...services,
        runtime: step.runtime,
        project,
        chatId: task.chatId,
        model: { name: model.name, seesPictures },
        signal,
        readOnly: task.editMode === "plan",
        scopes: task.scopes,
      },
      gate: step.gate,
      questions: step.questions,
      beforeChange: (call) => step.checkpoint.before(call),
    },
    log: { records, writer: step.writer },
    secrets: step.secrets,
    toolFailed: (tool, cause) => deps.log.error("tool failed", { task_id: task.id, tool, cause }),
  };
}

/** Tools of MCP servers that the task has found, where they are too many to be shown from the beginning. */
function foundTools({ mcp, progress, task }: Step): ToolDefinition[] {
  const found = mcp?.found(progress.turns.flatMap((turn) => turn.tool_calls)) ?? [];
  return found.filter(({ name }) => isToolOf(task.agent, name));
}

interface Compacted {
  compaction: Compaction;
  usage: ModelUsage | undefined;
  model: PrepaidModel;
  iteration: number;
}

/** Stores the compaction before the call that uses it, so that a later executor builds the same transcript. */
async function keep(step: Step, { compaction, usage, model, iteration }: Compacted): Promise<void> {
  const call = usage && model.toCall("compaction", usage, compaction.summaries);
  const stored = await storeCompaction(step.deps.db, step.progress, compaction, call);
  if (!stored) return leaveStep(step);
  step.compaction = compaction;
  step.chatSummary = chatSummary(step.history, compaction) ?? step.chatSummary;
  const used = taskEvents.creditsUsed(stored.charged);
  step.writer.add({ events: [taskEvents.contextPressure(iteration), ...used] });
}
