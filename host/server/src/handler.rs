//! The protocol's methods.

use crate::attend::cancelled;
use crate::call::{Call, Manner};
use crate::door::Door;
use crate::note::Note;
use crate::server::{Offer, Server, without_notices};
use crate::{answer, prompts, resource};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesRequestMethod,
    ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestMethod, ReadResourceRequestParams,
    ReadResourceResponse, Reference, ServerConfig as ServerInfo, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use std::sync::atomic::Ordering;
use stepwell_contract::handle::HandleKind;
use stepwell_contract::quote::excerpt;
use stepwell_ladder::LadderError;
use stepwell_source::Caller;

/// How long a client may keep what only a changed configuration changes. Not every client can be told of that.
const CONSTANT_TTL_MS: u64 = 60_000;
/// How long a client may keep what is data: not at all.
pub(crate) const DATA_TTL_MS: u64 = 0;

/// The methods that exist. Parameters of the wrong shape make the protocol library take one of them for unknown.
const METHODS: &[&str] = &[
    "completion/complete",
    "initialize",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// Those of them that the protocol no longer has where every request says its version.
const REMOVED: &[&str] = &["initialize", "ping"];

/// The longest address that an error repeats. Ours are shorter.
const LONGEST_URI: usize = 2_048;

type Context = RequestContext<RoleServer>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerInfo {
        self.offer().info.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let info = self.negotiate_initialize(&request)?;
        self.ended(&Note::of(&context), "initialize", None, "ok");
        Ok(match self.door {
            Door::Process(_) => info,
            // Over HTTP this era has no way to tell a client anything that it did not ask for.
            Door::Request { .. } => without_notices(info),
        })
    }

    async fn ping(&self, context: Context) -> Result<(), ErrorData> {
        self.ended(&Note::of(&context), "ping", None, "ok");
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if matches!(self.door, Door::Process(_)) {
            self.tell_session(context.peer);
        }
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        let note = Note::of(&context);
        let answer = async {
            let versions = self.supported_protocol_versions().into_owned();
            let result = DiscoverResult::from_server_info(versions, self.get_info());
            Ok(result.with_ttl_ms(CONSTANT_TTL_MS).with_cache_scope(CacheScope::Private))
        };
        self.attended(&note, &context, "server/discover", answer).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.offer().tools.get(name).cloned()
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let note = Note::of(&context);
        let answer = async {
            let offer = self.offer();
            self.listed(&offer, &context, &note).await?;
            only_page(page)?;
            let mut result = ListToolsResult::with_all_items(offer.tools.list().to_vec());
            result.meta = offer.signed(says_version(&context), result.meta);
            Ok(result.with_ttl_ms(CONSTANT_TTL_MS).with_cache_scope(CacheScope::Private))
        };
        self.attended(&note, &context, "tools/list", answer).await
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let (offer, note) = (self.offer(), Note::of(&context));
        let arguments = call.arguments.unwrap_or_default();
        let Some(known) = Call::new(&offer, &call.name, arguments, manner(&context)) else {
            let message =
                format!("unknown tool {}; tools/list names those that there are", excerpt(&call.name));
            self.ended(&note, "tools/call", None, "error");
            return Err(ErrorData::invalid_params(message, None));
        };
        let caller = self.door.caller(&**offer.ladder.source(), &context);
        // In a place of its own, as in `attended`.
        let answer = Box::pin(self.called(&offer, &note, known, caller));
        let outcome = context.ct.run_until_cancelled(answer).await.ok_or_else(cancelled)?;
        Ok(outcome.into_result().into())
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let note = Note::of(&context);
        let answer = async {
            let offer = self.offer();
            if !offer.has_resources() {
                return Err(ErrorData::method_not_found::<ListResourcesRequestMethod>());
            }
            let caller = self.listed(&offer, &context, &note).await?;
            let cursor = page.and_then(|page| page.cursor).filter(|cursor| !cursor.is_empty());
            let listed =
                offer.ladder.list_resources(&self.asker(&caller, manner(&context)), cursor.as_deref()).await;
            let listed = listed.map_err(|error| self.protocol_error(&error, "resources/list", &note))?;
            let (links, next) = listed.into_inner();
            let mut result =
                ListResourcesResult::with_all_items(links.into_iter().map(answer::resource).collect());
            result.next_cursor = next;
            result.meta = offer.signed(says_version(&context), result.meta);
            Ok(result.with_ttl_ms(DATA_TTL_MS).with_cache_scope(CacheScope::Private))
        };
        self.attended(&note, &context, "resources/list", answer).await
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let note = Note::of(&context);
        let answer = async {
            let offer = self.offer();
            if !offer.has_resources() {
                return Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>());
            }
            self.listed(&offer, &context, &note).await?;
            only_page(page)?;
            let templates = offer.ladder.templates().into_iter().map(resource::template).collect();
            let mut result = ListResourceTemplatesResult::with_all_items(templates);
            result.meta = offer.signed(says_version(&context), result.meta);
            Ok(result.with_ttl_ms(CONSTANT_TTL_MS).with_cache_scope(CacheScope::Private))
        };
        self.attended(&note, &context, "resources/templates/list", answer).await
    }

    async fn read_resource(
        &self,
        read: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let note = Note::of(&context);
        let answer = async {
            let offer = self.offer();
            if !offer.has_resources() {
                return Err(ErrorData::method_not_found::<ReadResourceRequestMethod>());
            }
            let caller = self.listed(&offer, &context, &note).await?;
            let found = offer.ladder.read_resource(&self.asker(&caller, manner(&context)), &read.uri).await;
            let found = found
                .map_err(|error| about(&read.uri, self.protocol_error(&error, "resources/read", &note)))?;
            let mut result = resource::contents(found);
            result.meta = offer.signed(says_version(&context), result.meta);
            Ok(result.into())
        };
        self.attended(&note, &context, "resources/read", answer).await
    }

    /// Completes stream names; no other argument of a prompt or a template can be guessed.
    async fn complete(
        &self,
        ask: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let note = Note::of(&context);
        let answer = async {
            let offer = self.offer();
            let names = self.completions(&offer, &ask, &context, &note).await?;
            let mut result = resource::completion(names);
            result.meta = offer.signed(says_version(&context), result.meta);
            Ok(result)
        };
        self.attended(&note, &context, "completion/complete", answer).await
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.shared.subscribed.store(true, Ordering::Relaxed);
        Some(requested.supported_by(&self.offer().info.capabilities))
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        self.tell_subscriber(&subscription).await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let note = Note::of(&context);
        let answer = async {
            let offer = self.offer();
            self.listed(&offer, &context, &note).await?;
            only_page(page)?;
            let mut result = ListPromptsResult::with_all_items(prompts::list());
            result.meta = offer.signed(says_version(&context), result.meta);
            Ok(result.with_ttl_ms(CONSTANT_TTL_MS).with_cache_scope(CacheScope::Private))
        };
        self.attended(&note, &context, "prompts/list", answer).await
    }

    async fn get_prompt(
        &self,
        asked: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let note = Note::of(&context);
        let answer = async {
            let offer = self.offer();
            self.listed(&offer, &context, &note).await?;
            let mut result = prompts::get(offer.on, &asked.name, &asked.arguments.unwrap_or_default())?;
            result.meta = offer.signed(says_version(&context), result.meta);
            Ok(result.into())
        };
        self.attended(&note, &context, "prompts/get", answer).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        self.ended(&Note::of(&context), "other", None, "error");
        let of_resources = method.starts_with("resources/");
        let is_gone = REMOVED.contains(&method.as_str()) && is_modern(&context);
        let is_known =
            METHODS.contains(&method.as_str()) && (self.offer().has_resources() || !of_resources) && !is_gone;
        Err(if is_known {
            ErrorData::invalid_params(
                format!("the params of {method} do not have the shape that it needs"),
                None,
            )
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, excerpt(&method), None)
        })
    }
}

impl Server {
    /// What an argument of a prompt or a resource template may be. Where there is nothing to suggest, nothing is said about
    /// why: a client asks with every key that someone presses.
    async fn completions(
        &self,
        offer: &Offer,
        ask: &CompleteRequestParams,
        context: &Context,
        note: &Note,
    ) -> Result<Vec<String>, ErrorData> {
        let caller = self.listed(offer, context, note).await?;
        let (asker, typed) = (self.asker(&caller, manner(context)), &ask.argument.value);
        let failed = |error: LadderError| self.protocol_error(&error, "completion/complete", note);
        let template = match &ask.r#ref {
            Reference::Resource(template) => template,
            Reference::Prompt(prompt)
                if ask.argument.name == prompts::STREAM && prompts::has(&prompt.name, prompts::STREAM) =>
            {
                return Ok(offer
                    .ladder
                    .complete_stream_name(&asker, typed)
                    .await
                    .map_err(failed)?
                    .into_inner());
            }
            _ => return Ok(Vec::new()),
        };
        let templates = offer.ladder.templates();
        let Some(known) = templates.iter().find(|known| known.uri_template == template.uri) else {
            let message = format!("there is no resource template {}", excerpt(&template.uri));
            return Err(ErrorData::invalid_params(message, None));
        };
        if ask.argument.name != "handle" {
            let message = format!("the template has no argument {}", excerpt(&ask.argument.name));
            return Err(ErrorData::invalid_params(message, None));
        }
        if known.uri_template.starts_with(HandleKind::Stream.uri_prefix()) {
            return Ok(offer.ladder.complete_stream(&asker, typed).await.map_err(failed)?.into_inner());
        }
        Ok(Vec::new())
    }

    /// The caller of a request that has no result to carry a refusal.
    async fn listed(&self, offer: &Offer, context: &Context, note: &Note) -> Result<Caller, ErrorData> {
        let caller = self.door.caller(&**offer.ladder.source(), context).await;
        caller.map_err(|error| self.protocol_error(&error, "authentication", note))
    }
}

/// How a request was made.
fn manner(context: &Context) -> Manner {
    Manner::new(says_version(context), context.client_info().as_ref())
}

/// Whether a request says its version by itself.
fn says_version(context: &Context) -> bool {
    context.meta.protocol_version().is_some()
}

/// Whether that is the version that the protocol has since 2026-07-28, or a later one.
fn is_modern(context: &Context) -> bool {
    let version = context.meta.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Says which address an error is about: a client that reads several at once has no other way to tell.
fn about(uri: &str, mut error: ErrorData) -> ErrorData {
    if let Some(Value::Object(data)) = &mut error.data
        && uri.len() <= LONGEST_URI
    {
        data.insert("uri".to_owned(), uri.into());
    }
    error
}

/// These lists have one page, so no cursor was ever handed out.
fn only_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        Some(cursor) if !cursor.is_empty() => Err(ErrorData::invalid_params("the cursor is unknown", None)),
        _ => Ok(()),
    }
}
