//! Tells clients that a list is no longer what it was.

use crate::server::{Offer, Server};
use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;

/// Which lists changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Changes {
    tools: bool,
    resources: bool,
}

/// The lists as a client may know them.
struct Lists {
    offers: watch::Receiver<Arc<Offer>>,
    known: Arc<Offer>,
}

impl Lists {
    fn of(server: &Server) -> Self {
        let mut offers = server.shared.offers.subscribe();
        let known = offers.borrow_and_update().clone();
        Self { offers, known }
    }

    /// Waits until a list is different. Several changes at once are one; one that is undone meanwhile is none.
    async fn changed(&mut self) -> Changes {
        loop {
            if self.offers.changed().await.is_err() {
                // The server is gone, and whoever waits here is about to be.
                std::future::pending::<()>().await;
            }
            let now = self.offers.borrow_and_update().clone();
            let changes = Changes {
                tools: now.tools.list() != self.known.tools.list(),
                resources: now.ladder.templates() != self.known.ladder.templates(),
            };
            self.known = now;
            if changes.tools || changes.resources {
                return changes;
            }
        }
    }
}

impl Server {
    /// Tells a subscriber of changes until it ends the subscription or the server ends.
    pub(crate) async fn tell_subscriber(&self, subscription: &SubscriptionContext) {
        let mut lists = Lists::of(self);
        loop {
            let changes = tokio::select! {
                () = subscription.cancelled() => return,
                () = self.shared.closing.cancelled() => return,
                changes = lists.changed() => changes,
            };
            // What the client did not ask for is held back by the sink, and a client that is gone is met above.
            if changes.tools {
                let _ = subscription.sink().notify_tool_list_changed().await;
            }
            if changes.resources {
                let _ = subscription.sink().notify_resource_list_changed().await;
            }
        }
    }

    /// Tells the client of a session of changes, as far as it was promised when it opened, until the server ends.
    pub(crate) fn tell_session(&self, peer: Peer<RoleServer>) {
        if self.shared.is_told.swap(true, Ordering::Relaxed) {
            return;
        }
        let (mut lists, closing) = (Lists::of(self), self.shared.closing.clone());
        let knows_resources = lists.known.has_resources();
        tokio::spawn(async move {
            loop {
                let changes = tokio::select! {
                    () = closing.cancelled() => return,
                    changes = lists.changed() => changes,
                };
                if changes.tools && peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
                if changes.resources && knows_resources && peer.notify_resource_list_changed().await.is_err()
                {
                    return;
                }
            }
        });
    }
}
