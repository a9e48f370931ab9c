//! The tabs at the right: one file for each tab, one line in [`TABS`].

mod blame;
mod bound_state;
mod bytecode;
mod code;
mod draw_costs;
mod findings;
mod issue_marks;
mod line_numbers;
mod mesh;
mod mesh_view;
mod notes;
mod pass_chart;
mod passes;
mod pixel;
mod problems;
mod resources;
mod shaders;
mod state;
mod statistics;
mod stream_resources;
mod stream_state;
mod vertex_rows;

use egui::{ComboBox, RichText, Ui};

pub(super) use self::bound_state::BoundState;
use self::findings::Findings;
use super::action::Action;
use super::available_size::{AvailableSize, tab_area_ui};
use super::document::Document;
use super::draw_costs::DrawCosts;
use super::edits::Edits;
use super::notes::Notes;
use super::problems::Problems;
use super::question::{DependsOn, Epoch};
use crate::analysis::{StreamStateAt, TraceState};
use crate::command::{Location, Place, ResourceName};
use crate::replay::CommandNumber;

/// Points of the tabs' names: all of them stand in one row of the panel's first width.
const NAME_SIZE: f32 = 12.0;

/// The tabs, in their order.
const TABS: &[fn() -> Box<dyn Tab>] = &[
    make::<state::StateTab>,
    make::<resources::ResourcesTab>,
    make::<mesh::MeshTab>,
    make::<shaders::ShadersTab>,
    make::<pixel::PixelTab>,
    make::<problems::ProblemsTab>,
    make::<notes::NotesTab>,
    // Behind those that had their keys before it.
    make::<blame::BlameTab>,
    make::<statistics::StatisticsTab>,
    make::<passes::PassesTab>,
];

/// A tab that others lead to, by its name.
pub(super) const PIXEL: TabName = pixel::NAME;
pub(super) const PROBLEMS: TabName = problems::NAME;
pub(super) const SHADERS: TabName = shaders::NAME;
pub(super) const RESOURCES: TabName = resources::NAME;

/// What a tab is called; no two have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabName(&'static str);

impl TabName {
    /// The name as it is shown and remembered.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl Default for TabName {
    fn default() -> Self {
        state::NAME
    }
}

/// A tab. It is made anew for each trace that is opened.
pub(super) trait Tab {
    fn name(&self) -> TabName;

    /// What its answers depend on: when that changes they are old, and asked for again.
    fn depends_on(&self) -> DependsOn;

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>);
}

/// What a tab shows something of.
pub(super) struct TabContext<'a> {
    pub document: &'a Document,
    /// Now, as far as the tab's answers depend on it.
    pub epoch: Epoch,
    pub place: Place,
    /// Part of a texture that is looked at, and the place that it is shown as of.
    pub viewed: Option<(ResourceName, Place)>,
    pub shared: &'a mut TabState,
    pub actions: &'a mut Vec<Action>,
}

/// What tabs show that others have a part in, too.
#[derive(Default)]
pub(super) struct TabState {
    pub bound: BoundState,
    pub selection: Selection,
    pub edits: Edits,
    pub notes: Notes,
    pub problems: Problems,
    pub findings: Findings,
    pub costs: DrawCosts,
    /// Whether the field that texts are searched from gets the keyboard when it is drawn next.
    pub searches_texts: bool,
}

impl TabState {
    /// The state of submissions that tabs show of a place, if it is known.
    pub(super) fn submitted_state(&mut self, document: &Document, place: Place) -> Option<&StreamStateAt> {
        let answer = self.bound.at(document, document.place_asked(place), self.selection.context)?;
        match answer.value {
            Ok(TraceState::Submissions(state)) => Some(state),
            _ => None,
        }
    }
}

/// What the user has selected to be looked at.
#[derive(Default)]
pub(super) struct Selection {
    /// An object, by the command that makes it.
    pub object: Option<CommandNumber>,
    /// A pixel of what the picture shows: the frame, or a texture.
    pub pixel: Option<[u32; 2]>,
    /// The context of submissions whose state is shown; `None`: that of the last command.
    pub context: Option<u32>,
}

impl TabContext<'_> {
    /// The draw or packet whose state is shown.
    fn place(&self) -> Place {
        self.document.place_asked(self.place)
    }
}

fn make<T: Tab + Default + 'static>() -> Box<dyn Tab> {
    Box::<T>::default()
}

/// The names of all tabs, in their order.
pub(super) fn names() -> Vec<TabName> {
    TABS.iter().map(|make| make().name()).collect()
}

/// The tab of that name.
pub(super) fn named(name: &str) -> Option<TabName> {
    names().into_iter().find(|tab| tab.as_str() == name)
}

/// All tabs of a trace.
pub(super) struct Tabs {
    all: Vec<Box<dyn Tab>>,
}

impl Default for Tabs {
    fn default() -> Self {
        Self { all: TABS.iter().map(|make| make()).collect() }
    }
}

impl Tabs {
    /// Draws the names, and the tab in front.
    pub(super) fn ui(&mut self, ui: &mut Ui, available: AvailableSize, front: TabName, context: &mut TabContext<'_>) {
        if available.is_narrow() || available.is_low() {
            let combo = ComboBox::from_id_salt("tab in front").width(ui.available_width());
            combo.selected_text(front.as_str()).show_ui(ui, |ui| self.names_ui(ui, front, context.actions));
        } else {
            ui.horizontal_wrapped(|ui| {
                // In one row, as long as there is room for it.
                ui.spacing_mut().item_spacing.x = 1.0;
                ui.spacing_mut().button_padding.x = 2.0;
                self.names_ui(ui, front, context.actions);
            });
        }
        ui.separator();
        let tab = self.all.iter_mut().find(|tab| tab.name() == front);
        tab_area_ui(ui, |ui| {
            if let Some(tab) = tab {
                context.epoch = context.document.epoch(tab.depends_on());
                tab.ui(ui, context);
            }
        });
    }

    fn names_ui(&self, ui: &mut Ui, front: TabName, actions: &mut Vec<Action>) {
        for tab in &self.all {
            let name = RichText::new(tab.name().as_str()).size(NAME_SIZE);
            if ui.selectable_label(tab.name() == front, name).clicked() {
                actions.push(Action::ShowTab(tab.name()));
            }
        }
    }
}

/// A link to a packet.
fn packet_link(ui: &mut Ui, at: Location, actions: &mut Vec<Action>) {
    let hint = format!("frame {}, packet {}", at.frame, at.packet);
    if ui.link(format!("{:#x}", at.offset)).on_hover_text(hint).clicked() {
        actions.push(Action::GoToCommand(at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tab_is_found_by_its_name() {
        let names = names();
        assert!(names.len() >= 7);
        for (number, name) in names.iter().enumerate() {
            assert_eq!(named(name.as_str()), Some(*name));
            assert!(!names[..number].contains(name), "{name:?} twice");
        }
        assert_eq!(named("no such tab"), None);
    }
}
