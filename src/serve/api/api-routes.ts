// The routes for programs, with what the OpenAPI document says about each.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Method, Route, RouteDoc, Schema, Visit } from "../route.ts";
import { answerCall } from "./calling.ts";
import { escalations, health, resolveEscalation } from "./escalations.ts";
import { answerEvents } from "./events.ts";
import { getFile, putFile } from "./files.ts";
import { answerOpenApi } from "./openapi.ts";
import {
  changeSession,
  createSession,
  deleteSession,
  getSession,
  listSessions,
  messagesOf,
  resumeSession,
  sendMessage,
  startSession,
  stopSession,
} from "./sessions.ts";

const text = (description: string): Schema => ({ type: "string", description });
const orNull = (description: string): Schema => ({ type: ["string", "null"], description });
const time: Schema = { type: "string", format: "date-time" };
const objectOf = (properties: Schema, required: readonly string[] = []): Schema => ({
  ...{ type: "object", properties },
  ...(required.length > 0 && { required }),
});
const listOf = (items: Schema): Schema => ({ type: "array", items });

const SESSION = objectOf(
  {
    id: { type: "string", format: "uuid" },
    ...{ projectId: orNull("project"), agentId: orNull("agent") },
    ...{ name: text("label of its process"), source: text("channel"), initialPrompt: text("first message") },
    status: { type: "string", enum: ["idle", "running", "paused", "stopped", "error"] },
    pid: orNull("its process; null before the first message and after it ended"),
    totalCostUsd: { type: "number" },
    totalTurns: { type: "integer" },
    ...{ councilLaunchId: orNull("council"), councilRole: orNull("role in it"), workDir: orNull("working directory") },
    ...{ createdAt: time, updatedAt: time },
  },
  ["id", "status", "pid"],
);
const MESSAGE = objectOf({
  id: { type: "integer", description: "number in the history" },
  sessionId: text("session"),
  role: { type: "string", enum: ["user", "assistant", "system"] },
  content: text("text"),
  costUsd: { type: "null", description: "gsv counts cost per run" },
  timestamp: time,
});
const DONE = objectOf({ ok: { const: true } }, ["ok"]);
const BEGUN = objectOf({ ok: { const: true }, runId: orNull("null if there is nothing to do") }, ["ok", "runId"]);
const PROMPT = objectOf({ prompt: text("message; default: the first message of the session") });
const ESCALATION = objectOf({
  ...{ id: text("approval"), sessionId: orNull("session"), pid: text("process"), toolName: text("tool") },
  toolInput: { type: "object" },
  hash: text("checksum of the call; an answer that has it applies to exactly this call"),
  ...{ status: { const: "pending" }, createdAt: time, resolvedAt: { type: "null" } },
});

type Answer = (visit: Visit) => Promise<Response>;

function route(path: string, method: Method, doc: RouteDoc, answer: Answer): Route {
  const body = doc.body === undefined ? "none" : "json";
  return { path, methods: [method], who: "account", body, doc: { [method]: doc }, answer };
}

const BYTES: Schema = { type: "string", format: "binary" };
const etags = (description: string): Schema => ({ type: "string", description });

const FILES: Route = {
  path: "/api/files/*",
  methods: ["GET", "PUT"],
  who: "account",
  body: "bytes",
  bytesMax: LIMITS.uploadBytesMax,
  doc: {
    GET: {
      summary: "Read a file; ranges and ETags work",
      headers: { Range: text("bytes=FIRST-LAST"), "If-None-Match": etags("ETags that you have") },
      ...{ answer: BYTES, type: "application/octet-stream" },
    },
    PUT: {
      summary: "Write a file, complete or not at all",
      headers: { "If-Match": etags("only over this content"), "If-None-Match": etags("*: only a new file") },
      body: BYTES,
      answer: objectOf({ path: text("path"), size: { type: "integer" } }),
    },
  },
  answer: (visit) => (visit.request.method === "PUT" ? putFile(visit) : getFile(visit)),
};

export const API_ROUTES: readonly Route[] = [
  FILES,
  { path: "/api/call/:name", methods: ["POST"], who: "account", body: "json", answer: answerCall },
  route(
    "/api/openapi.json",
    "GET",
    { summary: "This document", answer: { type: "object" }, type: "application/json" },
    answerOpenApi,
  ),
  route(
    "/api/events",
    "GET",
    {
      summary: "Follow what happens, as server-sent events",
      query: {
        pid: text("only of this process"),
        types: text("only these, separated by commas: message, or names of signals such as chat.delta and process.*"),
        after: text("as Last-Event-ID, for readers that cannot send headers"),
      },
      headers: { "Last-Event-ID": text("cursor of the last event that you have; continues after it") },
      ...{ type: "text/event-stream", answer: { type: "string" } },
    },
    answerEvents,
  ),
  route("/api/health", "GET", { summary: "Version and work of the kernel", answer: { type: "object" } }, health),
  route(
    "/api/sessions",
    "GET",
    {
      summary: "List sessions, most recently active first",
      query: { projectId: text("only of this project") },
      answer: listOf(SESSION),
    },
    listSessions,
  ),
  route(
    "/api/sessions",
    "POST",
    {
      summary: "Create a session; with a first message, start it",
      body: objectOf({
        ...{ projectId: text("project"), agentId: text("agent"), name: text("label") },
        ...{ initialPrompt: text("first message"), workDir: text("working directory") },
        source: { ...text("channel"), default: "web" },
      }),
      ...{ answer: SESSION, status: 201 },
    },
    createSession,
  ),
  route("/api/sessions/:id", "GET", { summary: "Show a session", answer: SESSION }, getSession),
  route(
    "/api/sessions/:id",
    "PUT",
    { summary: "Rename a session", body: objectOf({ name: text("label") }, ["name"]), answer: SESSION },
    changeSession,
  ),
  route(
    "/api/sessions/:id",
    "DELETE",
    { summary: "Stop a session, archive its process and forget it", answer: DONE },
    deleteSession,
  ),
  route(
    "/api/sessions/:id/messages",
    "GET",
    {
      summary: "List messages, oldest first, without tool output",
      query: {
        after: { type: "integer", minimum: 0, description: "only messages with a higher id" },
        limit: { type: "integer", minimum: 1, maximum: 500, description: "maximum number (default 500)" },
      },
      answer: listOf(MESSAGE),
    },
    messagesOf,
  ),
  route(
    "/api/sessions/:id/messages",
    "POST",
    {
      summary: "Send a message; resumes a session that does not run",
      ...{ body: objectOf({ content: text("message") }, ["content"]), answer: BEGUN },
    },
    sendMessage,
  ),
  route(
    "/api/sessions/:id/start",
    "POST",
    { summary: "Start from the beginning; ends a current run", body: PROMPT, answer: BEGUN },
    startSession,
  ),
  route("/api/sessions/:id/resume", "POST", { summary: "Continue", body: PROMPT, answer: BEGUN }, resumeSession),
  route("/api/sessions/:id/stop", "POST", { summary: "Stop until it is resumed", answer: DONE }, stopSession),
  route("/api/escalation-queue", "GET", { summary: "List pending approvals", answer: listOf(ESCALATION) }, escalations),
  route(
    "/api/escalation-queue/:id/resolve",
    "POST",
    {
      summary: "Approve or deny",
      body: objectOf(
        { approved: { type: "boolean" }, message: text("reason of a denial"), hash: text("checksum of the call") },
        ["approved"],
      ),
      answer: DONE,
    },
    resolveEscalation,
  ),
];
