import { sql, type SQL } from "drizzle-orm";
import { taskTurns } from "#src/db/schema/index.ts";

/** How turns are shown: whole, or with long parameters and results cut. */
export type Results = "whole" | "short";

/** Most characters of a value that is shown in a cut result. */
const SHORT = 2_000;

/** SQL value: the turn of a row of `task_steps` as it is shown, without the data that is kept for the model only. */
export function shownTurn(results: Results = "whole"): SQL<Record<string, unknown>> {
  const whole = sql<Record<string, unknown>>`${taskTurns.turnData} - 'kept'`;
  if (results === "whole") return whole;
  return sql<Record<string, unknown>>`(${whole}) || jsonb_build_object('tool_calls', coalesce((
    SELECT jsonb_agg(
      call || jsonb_build_object('arguments', '', 'model_text', '',
        'parameters', ${shortened(sql`call -> 'parameters'`)}, 'result', ${shortened(sql`call -> 'result'`)},
        'cut', jsonb_strip_nulls(jsonb_build_object(
          'parameters', ${charsIfLong(sql`call -> 'parameters'`)}, 'result', ${charsIfLong(sql`call -> 'result'`)})))
      ORDER BY place)
    FROM jsonb_array_elements(${taskTurns.turnData} -> 'tool_calls') WITH ORDINALITY AS calls (call, place)), '[]'))`;
}

/** SQL value: the characters of a JSON object; null if it is not long. */
const charsIfLong = (object: SQL) =>
  sql`CASE WHEN length((${object})::text) > ${sql.raw(String(SHORT))} THEN length((${object})::text) END`;

/**
 * SQL value: a JSON object, if it is long with each field cut: a text to its first characters, a list to its first
 * elements that fit. An object that does not fit is empty. This is done in the database because a page of turns may have
 * more results than a Worker has memory.
 */
function shortened(object: SQL): SQL {
  const most = sql.raw(String(SHORT));
  return sql`CASE WHEN length((${object})::text) <= ${most} THEN ${object} ELSE (
    SELECT jsonb_object_agg(key, CASE
      WHEN length(value::text) <= ${most} THEN value
      WHEN jsonb_typeof(value) = 'string' THEN to_jsonb(left(value #>> '{}', ${most}))
      WHEN jsonb_typeof(value) = 'array' THEN (
        SELECT coalesce(jsonb_agg(element ORDER BY nth), '[]') FROM (
          SELECT element, nth, sum(length(element::text)) OVER (ORDER BY nth) AS chars
          FROM jsonb_array_elements(value) WITH ORDINALITY AS elements (element, nth)
        ) AS counted WHERE chars <= ${most})
      ELSE '{}' END)
    FROM jsonb_each(${object})) END`;
}
